import SluiceControl
import SluiceModel
import SluiceReports

/// The verbs that act on tasks, named or selected by a filter.
extension CommandLineParser {
    static func tasks(
        _ verb: any TaskVerb.Type, _ arguments: Arguments, now: Timestamp
    ) throws(QueueError) -> TaskChange {
        let words = try VerbWords(verb, arguments, now: now)
        _ = try words.verb()
        return TaskChange(
            words: words,
            selection: try selection(arguments, words.tasks, isOne: verb.takesOne),
            isRehearsal: arguments.has("--dry-run"),
            isConfirmed: arguments.has("--yes") || arguments.has("--store-name"),
            storeName: arguments.text("--store-name"))
    }

    static func report(_ arguments: Arguments) throws(QueueError) -> ReportCall {
        ReportCall(
            selection: try selection(arguments, arguments.values),
            redacted: try ReportText.paths(arguments.all("--redact")))
    }

    private static func selection(
        _ arguments: Arguments, _ values: [String], isOne: Bool = false
    ) throws(QueueError) -> Selection {
        if let filter = try arguments.filter() {
            guard values.isEmpty else {
                throw .usage("either tasks or --filter, not both", of: arguments.command)
            }
            return .filter(filter)
        }
        guard !values.isEmpty else {
            throw .usage("no task is named", of: arguments.command)
        }
        guard values.count == 1 || !isOne else {
            throw .usage("it takes one task, or --filter", of: arguments.command)
        }
        var references: [TaskReference] = []
        for value in values { references.append(try arguments.task(value, of: "TASK")) }
        return .tasks(references)
    }
}
