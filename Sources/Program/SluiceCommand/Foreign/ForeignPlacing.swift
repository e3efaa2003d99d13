import SluiceControl
import SluiceForeignQueues
import SluiceModel
import SluicePlatform

/// The commands that answers show, with the address that they need: no other system's store is the
/// one that a command means without one.
struct ForeignPlacing {
    private let options: String

    /// With the address as it may be shown, and what it was said to be; nothing where a command
    /// finds it by itself.
    init(_ call: ForeignCall, _ host: Host) {
        let isKnown = host.environment("SLUICE_STORE") == call.store || host.isScreen
        let system = call.system.map { " --as \(ShellWord.quoted($0))" } ?? ""
        let place = ShellWord.quoted(ForeignStore.shownName(call.store))
        options = isKnown ? "" : " --store \(place)\(system)"
    }

    /// A sentence, whose commands say where.
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

    /// The same answer.
    func reply(_ reply: Reply) -> Reply {
        var reply = reply
        reply.lines = reply.lines.map(text)
        return reply
    }

    /// The same error.
    func error(_ error: QueueError) -> QueueError {
        QueueError(error.code, text(error.message), fix: text(error.fix))
    }

    private static let verbs = Set(Action.all.compactMap(\.command).map { Substring($0.name) })
}

extension ForeignContext {
    /// The answer, with commands that can be run as they stand.
    func placedReply(at store: ForeignStore? = nil) throws -> Reply {
        let placing = ForeignPlacing(call, host)
        do {
            return placing.reply(try store.map { try reply(at: $0) } ?? reply())
        } catch let error as QueueError {
            throw placing.error(error)
        }
    }

    /// What a person who leaves the console should know: which queues stay held.
    func sayWhatStaysHeld() {
        guard !call.common.isReadOnly, let store = try? open(),
            let queues = try? store.ask({ try $0.queues() })
        else { return }
        let placing = ForeignPlacing(call, host)
        for queue in queues {
            guard let hold = queue.hold else { continue }
            let command = "sluice \(ShellWord.command("resume", queue.name))"
            let line =
                "\(queue.name) stays held by \(hold.note.by), \(queue.held) waiting aside: "
                + placing.text("\(command) gives back")
            try? host.write(SafeText.visible(line) + "\n", .output)
        }
    }
}
