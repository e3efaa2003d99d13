import SluiceModel
import SluiceStore
import SluiceSystem

/// The mark of a damaged file: a small file in the run folder, so that the damaged file stays
/// untouched. No process writes before checking it (P3).
///
/// It names the file it belongs to, so a replacement of that file is not affected.
struct DamageMark: Sendable {
    private static let limitBytes = 4096
    private let store: String
    private let path: String

    /// The mark of the store at a path.
    init(_ store: String) {
        self.store = store
        path = "\(RunFolder.path(of: store))/damaged"
    }

    /// The damage found, or `nil`.
    var finding: String? {
        guard Files.exists(path), let identity,
            let bytes = try? Files.read(path, limitBytes: Self.limitBytes)
        else { return nil }
        let lines = String(decoding: bytes, as: UTF8.self).split(
            separator: "\n", maxSplits: 1, omittingEmptySubsequences: false)
        guard lines.count == 2, lines[0] == identity else { return nil }
        return String(lines[1])
    }

    /// Throws `damagedStore` if the file is marked as damaged.
    func check() throws(QueueError) {
        guard let finding else { return }
        throw QueueError(
            .damagedStore, "\(store) was found damaged, so nothing is written into it: \(finding)",
            fix: "sluice doctor --repair --store \(ShellWord.quoted(store)) fixes it, and keeps "
                + "the damaged file")
    }

    /// Records the damage unless a mark exists. Without a writable run folder there is no mark: the
    /// next process finds the damage again.
    func put(_ what: String) {
        guard let identity, finding == nil, Files.exists(RunFolder.path(of: store)) else { return }
        let text = String("\(identity)\n\(what)".utf8.prefix(Self.limitBytes)) ?? identity
        try? Files.writeAtomically(Array(text.utf8), to: path, ofOwnerOf: store)
    }

    /// Takes the mark away.
    func remove() {
        if Files.exists(path) { try? Files.remove(path) }
    }

    private var identity: String? {
        (try? Files.status(store)).flatMap { $0?.identity }.map { "\($0)" }
    }
}
