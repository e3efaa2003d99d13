import SluiceControl
import SluiceModel

/// The result of Tab on a line: the completed word, and the choices if there are several.
struct Completion: Hashable {
    var word: String?
    var choices: [String]

    /// Completes the last word of a command from the table of actions, or a recent store after
    /// `open`.
    init(command line: String, queues: [String], stores: [String] = []) {
        let words = line.split(separator: " ", omittingEmptySubsequences: true).map(String.init)
        let isNewWord = line.isEmpty || line.hasSuffix(" ")
        let word = isNewWord ? "" : words.last ?? ""
        let before = isNewWord ? words : Array(words.dropLast())
        guard before.first != "open" else {
            self.init(word, among: before.count == 1 ? stores : [])
            return
        }
        let own = before.isEmpty && !word.isEmpty ? ["open", "at", "screenshot"] : []
        self.init(word, among: Self.candidates(after: before, word, queues: queues) + own)
    }

    /// Completes a word of a filter: a field, the last value of its list, or the next name of a
    /// payload path.
    init(filter word: String, names: FilterCompletions) {
        let marks = word.prefix { "-!(".contains($0) }
        let bare = String(word.dropFirst(marks.count))
        guard !bare.hasPrefix("payload.") && !bare.hasPrefix("payload[") else {
            self.init(word, among: names.continuing(place: bare).map { marks + $0 }, suffix: "")
            return
        }
        guard let colon = bare.firstIndex(of: ":"),
            let field = TaskFilter.Field(rawValue: String(bare[..<colon]))
        else {
            self.init(
                word, among: FilterCompletions.heads(names.saved).map { marks + $0 }, suffix: "")
            return
        }
        let list = bare[bare.index(after: colon)...]
        let before = list.lastIndex(of: ",").map { list[...$0] } ?? ""
        let start = "\(marks)\(field.rawValue):\(before)"
        self.init(word, among: names.values(of: field).map { start + $0 })
    }

    private init(_ word: String, among candidates: [String], suffix: String = " ") {
        choices = candidates.filter { $0.hasPrefix(word) }
        if choices.count == 1, let only = choices.first {
            self.word = only + suffix
        } else {
            let common = Self.commonPrefix(choices)
            self.word = common.count > word.count ? common : nil
        }
    }

    private static func candidates(
        after before: [String], _ word: String, queues: [String]
    ) -> [String] {
        switch CommandCompletion.words(after: before + [word]) {
        case .list(let words): word.hasPrefix("-") ? words.sorted() : words
        case .queues: queues
        case .files: []
        }
    }

    private static func commonPrefix(_ words: [String]) -> String {
        guard var prefix = words.first else { return "" }
        for word in words { while !word.hasPrefix(prefix) { prefix.removeLast() } }
        return prefix
    }
}

/// The known names for a filter.
struct FilterCompletions: Hashable {
    private let tasks: [QueueTask]
    private let queues: [String]
    /// The names of saved filters.
    let saved: [String]
    private let places: PayloadPlaces?

    init(
        _ tasks: [QueueTask], queues: [String], saved: [String] = [], places: PayloadPlaces? = nil
    ) {
        self.tasks = tasks
        self.places = places
        self.queues = queues
        self.saved = saved
    }

    /// The possible beginnings of a word.
    static func heads(_ saved: [String]) -> [String] {
        TaskFilter.keys.map { "\($0):" } + TaskFilter.measures + ["payload."]
            + saved.map { "@\($0)" }
    }

    /// The possible continuations of a payload path.
    func continuing(place: String) -> [String] { places?.continuing(place) ?? [] }

    /// The known values of a field, in the filter's syntax.
    func values(of field: TaskFilter.Field) -> [String] {
        let values: [String] =
            switch field {
            case .state: TaskFilter.State.allCases.map(\.rawValue)
            case .queue: queues
            case .type: tasks.map(\.type)
            case .group: tasks.flatMap { $0.groupMembers + ($0.groupStart.map { [$0] } ?? []) }
            case .session: tasks.compactMap(\.session)
            case .label: tasks.compactMap(\.label)
            case .unique: tasks.compactMap(\.uniqueKey)
            case .runner: tasks.compactMap { $0.running.map { "\($0.owner)" } }
            case .error, .failure, .id, .stage, .text, .twin: []
            }
        if field == .state { return values }
        return Set(values).sorted().map(FilterSpelling.value)
    }
}
