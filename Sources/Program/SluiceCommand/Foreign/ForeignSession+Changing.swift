import SluiceControl
import SluiceForeignQueues
import SluiceModel
import SluicePlatform

/// The verbs that change tasks of other systems.
extension ForeignSession {
    func change(_ store: ForeignStore) throws -> Reply {
        let arguments = call.arguments
        guard !arguments.has("--filter") else {
            throw QueueError.notLegal(
                "--filter is for stores of this program's own", fix: "name the tasks")
        }
        var values = arguments.values
        let change = try change(&values)
        guard !values.isEmpty else {
            throw QueueError.usage("TASK is missing", of: arguments.command)
        }
        var total = ForeignAnswer()
        var failed: [(String, QueueError)] = []
        let isTrial = arguments.has("--dry-run")
        for reference in values {
            do {
                let system = try store.find(reference).system
                try system.check(change.verb)
                let answer =
                    isTrial
                    ? ForeignAnswer(changed: [reference])
                    : try system.change(reference, change, by: person)
                total.changed += answer.changed
                total.consequences += answer.consequences.filter {
                    !total.consequences.contains($0)
                }
            } catch let error as QueueError {
                if values.count == 1 { throw error }
                failed.append((reference, error))
            }
        }
        return reply(total, failed, isTrial: isTrial)
    }

    private func reply(
        _ answer: ForeignAnswer, _ failed: [(String, QueueError)], isTrial: Bool = false
    ) -> Reply {
        let failures = failed.map { reference, error -> JSONValue in
            [
                "id": .string(reference), "code": .string(error.code.rawValue),
                "error": .string(error.description),
            ]
        }
        let json: JSONValue = [
            "changed": JSONValue(answer.changed), "failed": .array(failures),
            "consequences": JSONValue(answer.consequences), "undo": .null,
        ]
        let word = isTrial ? "would change" : "changed"
        let done =
            answer.changed.isEmpty ? [] : ["\(word): \(answer.changed.joined(separator: " "))"]
        let lines =
            done + answer.consequences.map { "  \($0)" }
            + failed.map { "\($0): \($1.description)" }
        var reply = Reply(json, lines.map(SafeText.visible))
        reply.isConfirmation = failed.isEmpty
        if !failed.isEmpty { reply.exit = answer.changed.isEmpty ? .refused : .partlyDone }
        return reply
    }

    private func change(_ values: inout [String]) throws -> ForeignChange {
        let arguments = call.arguments
        switch call.action {
        case .skip: return .skip
        case .unskip: return .unskip
        case .delete: return .delete
        case .retry: return .retry
        case .edit: return .edit(try payload())
        case .move: return .move(try place())
        case .postpone:
            let text = try Self.last("TIME", of: &values, arguments)
            return .postpone(try Arguments.moment(text, of: "TIME", now: host.now()))
        case .priority:
            let text = try Self.last("N", of: &values, arguments)
            return .priority(try Arguments.number(text, of: "N"))
        default: throw QueueError.notLegal("\(arguments.command.name) is not for other systems")
        }
    }

    private static func last(
        _ what: String, of values: inout [String], _ arguments: Arguments
    ) throws -> String {
        guard values.count > 1, let text = values.popLast() else {
            throw QueueError.usage("\(what) is missing", of: arguments.command)
        }
        return text
    }

    private func payload() throws -> JSONValue {
        let arguments = call.arguments
        guard arguments.all("--set").isEmpty else {
            throw QueueError.notLegal(
                "--set is for stores of this program's own", fix: "give --payload")
        }
        let source =
            arguments.bytes("--payload").map(ByteSource.bytes)
            ?? arguments.text("--payload-file").map(ByteSource.init(file:))
        guard let source else {
            throw QueueError.usage("--payload is missing", of: arguments.command)
        }
        do {
            return try JSONValue.parse(try host.read(source, 16 << 20))
        } catch let error as JSONError {
            throw QueueError.badValue("--payload", "…", allowed: "JSON: \(error.description)")
        }
    }

    private func place() throws -> ForeignPlace {
        let arguments = call.arguments
        if arguments.has("--first") { return .first }
        if arguments.has("--last") { return .last }
        if let other = arguments.text("--before") { return .before(other) }
        if let other = arguments.text("--after") { return .after(other) }
        throw QueueError.usage(
            "say where: --first, --last, --before, --after", of: arguments.command)
    }

    func undo(_ store: ForeignStore) throws -> Reply {
        guard try call.arguments.atMostOne() == nil else {
            throw QueueError.notLegal(
                "at another system's store only your last change can be taken back",
                fix: "sluice undo")
        }
        for system in store.systems {
            if let answer = try system.undo(by: person) { return reply(answer, []) }
        }
        throw QueueError.notLegal("\(person) has changed nothing here that can be taken back")
    }
}

extension KeeperLauncher {
    /// The verb of the process that holds a queue; it stands in no list.
    static let verb = "__keep"

    /// Starts this program again for each queue that is held; it learns the store from its
    /// environment, and outlives the command.
    static func processes(of store: String) -> KeeperLauncher {
        KeeperLauncher { system, queue in
            let path = try ProcessIdentity.executablePath()
            let others = ProcessIdentity.environment().filter { !$0.hasPrefix("SLUICE_STORE=") }
            _ = try ChildProcess.spawn(
                Spawn(
                    path, [verb, system, queue],
                    environment: others + ["SLUICE_STORE=\(store)"], directory: "/",
                    input: .null, output: .null, errors: .null))
        }
    }

    /// Holds a queue in this process, which was started for that.
    static func keep(_ system: String, _ queue: String, _ store: String) throws -> ExitCode {
        let opened = try ForeignStore.open(store, as: system, keepers: processes(of: store))
        try opened.ask { try $0.keep(queue) }
        return .done
    }
}
