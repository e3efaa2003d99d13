public import SluiceModel
import SluiceStore

/// Not before a time (D7).
struct PostponeVerb: TaskVerb {
    static let name = "postpone"
    static let help = "not before a time"
    static let participle = "postponed"
    static let parameters = [Parameter.over(\Self.overMilliseconds)]
    static let argument: String? = "TIME"
    static let states: Set<TaskState.Name> = [.waiting]
    /// The earliest begin, of several that of the first.
    var until: Timestamp
    /// The time over which several are spread from there.
    var overMilliseconds: Int64?

    var pastTense: String {
        "postponed until \(TimeText.rfc3339(until))" + CommandText.over(overMilliseconds)
    }

    func words(in text: CommandText) -> [String] {
        ["+\(text.wait(until: until))"] + Self.parameters.flatMap { $0.words(self) }
    }

    func perform(on task: QueueTask, in context: VerbContext) throws {
        let until = context.moment(from: until, over: overMilliseconds ?? 0)
        try context.mutation.apply(.postpone(until: until), to: task)
    }
}

extension PostponeVerb {
    init(_ words: VerbWords) throws(QueueError) {
        until = try Arguments.moment(words.argument, of: "TIME", now: words.now)
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
