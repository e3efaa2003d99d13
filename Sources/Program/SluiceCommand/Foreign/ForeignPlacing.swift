import SluiceControl
import SluiceForeignQueues
import SluiceModel
import SluiceSystem

/// The commands that answers show, with the address that they need: no other system's store is the
/// one that a command means without one.
struct ForeignPlacing {
    private let options: String

    /// The `--store` and `--as` options with the shown address; empty if a command finds the store
    /// without them.
    init(_ place: ForeignStorePlace, _ host: Host) {
        let isKnown = host.environment("SLUICE_STORE") == place.address
        let system = place.system.map { " --as \(ShellWord.quoted($0))" } ?? ""
        let address = ShellWord.quoted(Self.command(place.address))
        // The variable names no system.
        options = host.isScreen ? "" : (isKnown ? "" : " --store \(address)") + system
    }

    /// An address for a command: the word `PASSWORD` replaces a password.
    static func command(_ address: String) -> String {
        let shown = ForeignStore.shownName(address)
        guard let user = user(address), user.contains(":"), !user.hasSuffix(":"),
            let scheme = shown.firstRange(of: "://")
        else { return shown }
        let (start, rest) = (shown[..<scheme.upperBound], shown[scheme.upperBound...])
        let name = Self.user(shown)
        return "\(start)\(name ?? ""):PASSWORD@\(rest.dropFirst(name.map { $0.count + 1 } ?? 0))"
    }

    /// The user, and the password if there is one, of an address.
    private static func user(_ address: String) -> Substring? {
        guard let scheme = address.firstRange(of: "://") else { return nil }
        let place = address[scheme.upperBound...].prefix { !"/?".contains($0) }
        return place.lastIndex(of: "@").map { place[..<$0] }
    }

    /// A sentence whose commands name the store.
    func text(_ sentence: String) -> String {
        guard !options.isEmpty else { return sentence }
        let mark = "sluice "
        let pieces = sentence.split(separator: mark, omittingEmptySubsequences: false)
        var text = String(pieces.first ?? "")
        for piece in pieces.dropFirst() {
            let verb = piece.prefix { $0.isLetter }
            let isVerb = Self.verbs.contains(verb)
            text += mark + verb + (isVerb ? options : "") + piece.dropFirst(verb.count)
        }
        return text
    }

    func reply(_ reply: Reply) -> Reply {
        var reply = reply
        reply.lines = reply.lines.map(text)
        return reply
    }

    func error(_ error: QueueError) -> QueueError {
        QueueError(error.code, text(error.message), fix: text(error.fix))
    }

    private static let verbs = Set(Action.all.compactMap(\.command).map { Substring($0.name) })
}
