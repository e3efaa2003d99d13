public import SluiceModel
import SluiceStore

/// Not before a time (D7).
package struct PostponeVerb: TaskVerb {
    package static let name = "postpone"
    package static let help = "not before a time"
    package static let participle = "postponed"
    package static let parameters = [Parameter.over(\Self.overMilliseconds)]
    package static let argument: String? = "TIME"
    package static let keepsQueueLength = true
    package static let states: Set<TaskState.Name> = [.waiting]
    /// The earliest start. For several tasks, the start of the first.
    package var until: Timestamp
    /// The time over which several are spread from there.
    package var overMilliseconds: Int64?

    package var pastTense: String {
        "postponed until \(TimeText.rfc3339(until))" + CommandText.over(overMilliseconds)
    }

    package func words(in text: CommandText) -> [String] {
        ["+\(text.wait(until: until))"] + Self.parameters.flatMap { $0.words(self) }
    }

    package func perform(on task: QueueTask, in context: VerbContext) throws {
        let until = context.moment(from: until, over: overMilliseconds ?? 0)
        try context.mutation.apply(.postpone(until: until), to: task)
    }
}

extension PostponeVerb {
    package init(_ words: VerbWords) throws(QueueError) {
        until = try Arguments.moment(words.argument, of: "TIME").time(at: words.now)
        for parameter in Self.parameters { try parameter.read(&self, words.options) }
    }
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
