public import SluiceModel
import SluiceStore

/// Not before a time (D7).
package struct PostponeVerb: TaskVerb {
    package static let name = "postpone"
    package static let help = "not before a time"
    package static let participle = "postponed"
    package static let options = [Command.Option.over]
    package static let argument: String? = "TIME"
    package static let states: Set<TaskState.Name> = [.waiting]
    /// The earliest begin, of several that of the first.
    var until: Timestamp
    /// The time over which several are spread from there.
    var overMilliseconds: Int64?

    package var deed: String {
        "postponed until \(TimeText.rfc3339(until))" + CommandText.over(overMilliseconds)
    }

    package func words(in text: CommandText) -> [String] {
        ["+\(text.wait(until: until))"]
            + (overMilliseconds.map { ["--over", DurationText.compact($0)] } ?? [])
    }

    package func perform(on task: QueueTask, in context: VerbContext) throws {
        let until = context.moment(from: until, over: overMilliseconds ?? 0)
        try context.mutation.apply(.postpone(until: until), to: task)
    }
}

extension PostponeVerb {
    package init(_ words: VerbWords) throws(QueueError) {
        until = try Arguments.moment(words.argument, of: "TIME", now: words.now)
        overMilliseconds = try words.options.milliseconds("--over")
    }
}

extension Command.Option {
    /// Spreads the tasks of a verb over a time.
    static let over = Command.Option(
        "--over", .duration, "spread: due one after the other, evenly over this time")
}

extension CommandText {
    /// The time over which tasks were spread, for sentences.
    static func over(_ milliseconds: Int64?) -> String {
        milliseconds.map { " over \(DurationText.compact($0))" } ?? ""
    }
}

extension Verb {
    /// Lets tasks not begin before a time, or one after the other from there (D7, D10).
    public static func postpone(
        _ targets: [TaskTarget], until: Timestamp, overMilliseconds: Int64? = nil
    ) -> Verb {
        on(targets, PostponeVerb(until: until, overMilliseconds: overMilliseconds))
    }
}
