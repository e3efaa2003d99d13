import SluiceControl
import SluiceModel

/// The verbs that act on tasks, named or selected by a filter.
extension CommandLineParser {
    static func tasks(
        _ id: Action.ID, _ arguments: Arguments, now: Timestamp
    ) throws(QueueError) -> TaskChange {
        var values = arguments.values
        let action = try action(id, arguments, values: &values, now: now)
        let isOne = id == .move || id == .edit
        return TaskChange(
            action: action, selection: try selection(arguments, values, isOne: isOne),
            isRehearsal: arguments.has("--dry-run"), isConfirmed: arguments.has("--yes"))
    }

    private static func selection(
        _ arguments: Arguments, _ values: [String], isOne: Bool
    ) throws(QueueError) -> Selection {
        if let text = arguments.text("--filter") {
            guard values.isEmpty else {
                throw .usage("either tasks or --filter, not both", of: arguments.command)
            }
            return .filter(try TaskFilter(text))
        }
        guard !values.isEmpty else {
            throw .usage("no task is named", of: arguments.command)
        }
        guard values.count == 1 || !isOne else {
            throw .usage("it takes one task, or --filter", of: arguments.command)
        }
        var references: [TaskReference] = []
        for value in values { references.append(try Arguments.task(value, of: "TASK")) }
        return .tasks(references)
    }

    private static func action(
        _ id: Action.ID, _ arguments: Arguments, values: inout [String], now: Timestamp
    ) throws(QueueError) -> TaskAction {
        switch id {
        case .skip: return .skip(forMilliseconds: try arguments.milliseconds("--for"))
        case .unskip: return .unskip
        case .delete:
            return .delete(
                cancelsRunning: arguments.has("--cancel"),
                members: try arguments.choice("--members"))
        case .undelete: return .undelete
        case .retry: return .retry(overMilliseconds: try arguments.milliseconds("--over"))
        case .postpone:
            let text = try last("TIME", of: &values, arguments)
            return .postpone(
                until: try Arguments.moment(text, of: "TIME", now: now),
                overMilliseconds: try arguments.milliseconds("--over"))
        case .priority:
            let text = try last("N", of: &values, arguments)
            return .priority(try Arguments.priority(text, of: "N"))
        case .move: return try move(arguments)
        case .edit: return try edit(arguments, now: now)
        case .duplicate: return .duplicate
        case .cancel: return .cancel
        case .reclaim: return .reclaim
        case .acknowledge: return .acknowledge
        case .purge: return .purge(members: try arguments.choice("--members"))
        default: throw .unknownVerb(arguments.command.name)
        }
    }

    /// The argument that comes after the tasks.
    private static func last(
        _ what: String, of values: inout [String], _ arguments: Arguments
    ) throws(QueueError) -> String {
        guard let value = values.popLast() else {
            throw .usage("\(what) is missing", of: arguments.command)
        }
        return value
    }

    private static func move(_ arguments: Arguments) throws(QueueError) -> TaskAction {
        var places: [TaskAction.Place] = []
        if let task = try arguments.task("--before") { places.append(.before(task)) }
        if let task = try arguments.task("--after") { places.append(.after(task)) }
        if arguments.has("--first") { places.append(.first) }
        if arguments.has("--last") { places.append(.last) }
        if let queue = try arguments.name("--queue", of: "queue") {
            guard places.isEmpty || places == [.last] else {
                throw .usage(
                    "a task arrives last in another queue; move it there, then to its place",
                    of: arguments.command)
            }
            return .moveToQueue(queue)
        }
        guard let place = places.first, places.count == 1 else {
            throw .usage(
                "one of --before TASK, --after TASK, --first, --last, --queue Q is needed",
                of: arguments.command)
        }
        guard !arguments.has("--filter") else {
            throw .usage(
                "--filter goes with --queue; a place is for one task", of: arguments.command)
        }
        return .move(place)
    }
}
