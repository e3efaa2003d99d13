import SluiceControl
import SluiceForeignQueues
import SluiceModel
import SluicePlatform

/// The verbs that change tasks of other systems.
extension ForeignContext {
    func change(_ store: ForeignStore) throws -> Reply {
        let arguments = call.arguments
        var values = arguments.values
        let filter = try filter()
        let change = try asked(&values, namesTasks: filter == nil)
        if let filter { return try perform(change, of: filter, in: store, besides: values) }
        guard !values.isEmpty else {
            throw QueueError.usage("TASK is missing", of: arguments.command)
        }
        var targets: [Target] = []
        for reference in values where !targets.contains(where: { $0.reference == reference }) {
            targets.append(Target(reference: reference, system: nil))
        }
        return try perform(change, targets, in: store)
    }

    /// Those that a filter means, asked about in proportion as in our own stores (D10).
    private func perform(
        _ change: ForeignChange, of filter: TaskFilter, in store: ForeignStore,
        besides values: [String]
    ) throws -> Reply {
        guard values.isEmpty else {
            throw QueueError.usage(
                "either tasks or --filter, not both", of: call.arguments.command)
        }
        let selection = ForeignSelection(filter: filter, now: host.now())
        let found = try selection.tasks(of: store, usually: change.verb.states) {
            change.verb.fits($0)
        }.tasks
        if !call.arguments.has("--dry-run") {
            guard !found.isEmpty else {
                return Self.unchanged("nothing matches the filter, so nothing was changed")
            }
            if try isHandedOver(found) { return Reply(.null, []) }
            guard try isConfirmed(found.map(\.task.reference)) else {
                return Self.unchanged("nothing was changed")
            }
        }
        let targets = found.map { Target(reference: $0.task.reference, system: $0.system) }
        return try perform(change, targets, in: store)
    }

    /// Whether a console sent the command: it asks, and does the verb itself.
    private func isHandedOver(_ found: [ForeignSelection.Found]) throws -> Bool {
        guard !call.arguments.has("--yes"), let handOver = host.handOver,
            let numbers = host.foreignNumbers, let kind
        else { return false }
        let words = try VerbWords(kind, call.arguments, now: host.now()).finding(
            task: { _ in
                throw QueueError.notLegal(
                    "a filter's tasks are not put beside another one", fix: "say --first or --last")
            },
            bytes: { file, _ in try host.read(ByteSource(file: file), 16 << 20) })
        let targets = found.map { found in
            TaskTarget(
                numbers.number(
                    ForeignNumbers.Name(
                        system: found.system.name, reference: found.task.reference)))
        }
        handOver(Verb.on(targets, try words.verb()))
        return true
    }

    /// The verb of our own stores that says the same.
    private var kind: (any TaskVerb.Type)? { Action.all.first { $0.id == call.action }?.verb }

    /// A task that was named, or found with its system.
    private struct Target {
        var reference: String
        var system: (any ForeignSystem)?
    }

    private static func unchanged(_ sentence: String) -> Reply {
        var reply = Reply(
            ["changed": [], "failed": [], "consequences": [], "undo": .null], [sentence])
        reply.isConfirmation = true
        return reply
    }

    /// Asks as a bulk in our own stores does: nothing up to 10 tasks, `y` beyond, the number beyond
    /// 1,000.
    private func isConfirmed(_ references: [String]) throws -> Bool {
        let count = references.count
        guard !call.arguments.has("--yes") else { return true }
        guard host.canAsk() else {
            let match = count == 1 ? "1 task matches" : "\(NumberText.tasks(count)) match"
            throw QueueError(
                .noTerminal, "\(match), and nobody can be asked whether all are meant",
                fix: "add --yes, or --dry-run to see them")
        }
        guard count > 10 else { return true }
        let first = references.prefix(11).map(SafeText.visible).joined(separator: " ")
        let question = count > 1000 ? "type \(count) to go on: " : "go on? [y/N] "
        try host.write("\(NumberText.tasks(count)) match: \(first) …\n\(question)", .errors)
        let answer = try host.readLine() ?? ""
        return count > 1000 ? answer == "\(count)" : ["y", "Y", "yes"].contains(answer)
    }

    private func perform(
        _ change: ForeignChange, _ targets: [Target], in store: ForeignStore
    ) throws -> Reply {
        var total = ForeignAnswer()
        var failed: [(String, QueueError)] = []
        let isTrial = call.arguments.has("--dry-run")
        for target in targets {
            do {
                let (system, reference) = try place(of: target, in: store)
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
                if targets.count == 1, target.system == nil { throw error }
                failed.append((target.reference, error))
            }
        }
        return reply(total, failed, isTrial: isTrial ? targets.count : nil)
    }

    /// The system of a task and its whole id.
    private func place(
        of target: Target, in store: ForeignStore
    ) throws -> (any ForeignSystem, String) {
        if let system = target.system { return (system, target.reference) }
        let found = try store.find(target.reference)
        return (found.system, found.1.task.reference)
    }

    private func reply(
        _ answer: ForeignAnswer, _ failed: [(String, QueueError)], isTrial matched: Int? = nil
    ) -> Reply {
        let failures = failed.map { reference, error -> JSONValue in
            [
                "id": .string(reference), "code": .string(error.code.rawValue),
                "error": .string(error.description),
            ]
        }
        var json: JSONObject = [
            "changed": JSONValue(answer.changed), "failed": .array(failures),
            "consequences": JSONValue(answer.consequences), "undo": .null,
        ]
        if let matched {
            json["dryRun"] = true
            json["matched"] = JSONValue(matched)
        }
        let would = matched == nil ? "" : "would be "
        let count = NumberText.tasks(answer.changed.count)
        let word = would + (kind?.participle ?? "put back")
        let done =
            answer.changed.isEmpty ? [] : ["\(count) \(word): \(Self.sample(answer.changed))"]
        let lines =
            done + answer.consequences.map { "  \($0)" } + Self.failures(failed)
            + (matched == nil ? [] : ["nothing was changed"])
        var reply = Reply(.object(json), lines.map(SafeText.visible))
        reply.isConfirmation = failed.isEmpty
        if !failed.isEmpty { reply.exit = answer.changed.isEmpty ? .refused : .partlyDone }
        return reply
    }

    /// All of a few ids, the first of many.
    private static func sample(_ references: [String]) -> String {
        guard references.count > 5 else { return references.joined(separator: " ") }
        return references.prefix(3).joined(separator: " ") + " …"
    }

    /// What was not done, at most 20 of them: what cannot be done to a task as it is, and what went
    /// wrong.
    private static func failures(_ failed: [(String, QueueError)]) -> [String] {
        let refused = failed.filter { $1.isRefusal }
        let all =
            refused.map { "left alone: \($0): \($1.description)" }
            + failed.filter { !$1.isRefusal }.map { "not done: \($0): \($1.description)" }
        let more = all.count - 20
        return all.prefix(20) + (more > 0 ? ["\(more) more"] : [])
    }

    /// The change that the words ask for.
    private func asked(
        _ values: inout [String], namesTasks: Bool
    ) throws -> ForeignChange {
        let arguments = call.arguments
        switch call.action {
        case .skip: return .skip
        case .unskip: return .unskip
        case .delete: return .delete
        case .retry: return .retry
        case .edit: return .edit(try payload())
        case .move: return .move(try place())
        case .postpone:
            let text = try Self.last("TIME", of: &values, arguments, namesTasks)
            return .postpone(try Arguments.moment(text, of: "TIME", now: host.now()))
        case .priority:
            let text = try Self.last("N", of: &values, arguments, namesTasks)
            return .priority(try Arguments.number(text, of: "N"))
        default: throw QueueError.notLegal("\(arguments.command.name) is not for other systems")
        }
    }

    private static func last(
        _ what: String, of values: inout [String], _ arguments: Arguments, _ namesTasks: Bool
    ) throws -> String {
        guard values.count > (namesTasks ? 1 : 0), let text = values.popLast() else {
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
