import SluiceModel
import SluicePlatform
import SluiceStore

/// The word that a file was found damaged: a small file in the run folder beside it, so that
/// nothing is written into the damaged one, and no process writes before it was looked at (P3).
///
/// It names the file that it speaks of: where another one was put in its place it says nothing.
struct DamageMark: Sendable {
    private static let limitBytes = 4096
    private let store: String

    /// The mark of the store at a path.
    init(_ store: String) { self.store = store }

    private var path: String { "\(RunFolder.path(of: store))/damaged" }

    /// What was found; nil where nothing was.
    var finding: String? {
        guard Files.exists(path), let identity,
            let bytes = try? Files.read(path, limitBytes: Self.limitBytes)
        else { return nil }
        let lines = String(decoding: bytes, as: UTF8.self).split(
            separator: "\n", maxSplits: 1, omittingEmptySubsequences: false)
        guard lines.count == 2, lines[0] == identity else { return nil }
        return String(lines[1])
    }

    /// Throws `damagedStore` where the file was found damaged.
    func check() throws(QueueError) {
        guard let finding else { return }
        throw QueueError(
            .damagedStore, "\(store) was found damaged, so nothing is written into it: \(finding)",
            fix: "sluice doctor --repair --store \(ShellWord.quoted(store)) mends it, and keeps "
                + "the damaged file")
    }

    /// Notes what was found, unless something was before. A place without a run folder, or where
    /// nothing can be written, has no mark: whoever comes next finds the damage again.
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
