package import SluiceModel
import SluiceStore

/// How the tasks of a store are named to people: `#1042`, or in a Customer.io folder by the first 8
/// characters of their UUID (P6).
package struct TaskNames: Hashable, Sendable {
    private var folderIDs: [TaskID: String]
    /// Whether tasks have the ids of another system.
    package private(set) var isForeign = false
    private var isWhole = false

    /// Names by the ids in a folder; without one a task is named by its number.
    package init(_ folderIDs: [TaskID: String] = [:]) { self.folderIDs = folderIDs }

    /// Creates names from the ids of another system. Commands always take whole ids. `isWhole` also
    /// displays them whole.
    package init(foreign ids: [TaskID: String], isWhole: Bool = false) {
        (folderIDs, isForeign, self.isWhole) = (ids, true, isWhole)
    }

    /// Whether no task has a name other than its number.
    package var isEmpty: Bool { folderIDs.isEmpty }

    /// The name of a task: `#1042` or `3143DAD0`.
    package func name(_ id: TaskID) -> String {
        folderIDs[id].map { isWhole ? $0 : short($0) } ?? "#\(id)"
    }

    /// Ids of some systems begin with a part that all have: `saq:job:mail:`, `redbeat:`.
    private func short(_ reference: String) -> String {
        let own = isForeign ? reference.split(separator: ":").last : nil
        return String((own ?? reference[...]).prefix(8))
    }

    /// The whole name: `#1042`, or the UUID.
    package func reference(_ id: TaskID) -> String { folderIDs[id] ?? "#\(id)" }

    /// The name as a command takes it: `1042` or `3143DAD0`. An id that is no UUID has a number.
    package func word(_ id: TaskID) -> String {
        if isForeign, let reference = folderIDs[id] { return ShellWord.quoted(reference) }
        let name = name(id)
        if case .uuid? = try? TaskReference(name) { return name }
        // Eight digits may be another task's number, so the ninth character resolves the ambiguity.
        if let whole = folderIDs[id], case .uuid? = try? TaskReference(String(whole.prefix(13))) {
            return String(whole.prefix(13))
        }
        return "\(id)"
    }

    /// The task that a person named; nil for a UUID that is not among the names, or fits several.
    package func task(_ reference: TaskReference) -> TaskID? {
        let found = folderIDs.filter { reference.matches(uuid: $0.value) }
        // The newest of tasks that had one id after the other is the one that may be there.
        if Set(found.values).count == 1 { return found.keys.max() }
        return found.isEmpty ? reference.number : nil
    }

    /// Takes over the names of others.
    package mutating func add(_ others: TaskNames) {
        folderIDs.merge(others.folderIDs) { $1 }
        isForeign = isForeign || others.isForeign
    }

    package var count: Int { folderIDs.count }
}

/// Replaces numbers by names in finished sentences.
extension TaskNames {
    /// The tasks that a sentence of ours mentions, as `#1042` or in `sluice why 1042`.
    package static func mentioned(in sentence: String) -> [TaskID] {
        let pieces = sentence.split(separator: "#", omittingEmptySubsequences: false)
        let signs = pieces.dropFirst().compactMap { TaskID(digits(of: $0)) }
        let words = sentence.split(separator: " ", omittingEmptySubsequences: false)
        return signs + taskWords(in: words).compactMap { TaskID(digits(of: words[$0])) }
    }

    /// A sentence about tasks. Another system's sentences have its ids already, and its errors may
    /// have any number.
    package func text(_ sentence: String) -> String { isForeign ? sentence : own(sentence) }

    /// A sentence of this program alone with each mentioned task that has a name by that name.
    package func own(_ sentence: String) -> String {
        guard !isEmpty else { return sentence }
        let pieces = sentence.split(separator: "#", omittingEmptySubsequences: false)
        var text = String(pieces.first ?? "")
        for piece in pieces.dropFirst() {
            let digits = Self.digits(of: piece)
            text += (TaskID(digits).map(name) ?? "#\(digits)") + piece.dropFirst(digits.count)
        }
        var words = text.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
        for place in Self.taskWords(in: words.map { $0[...] }) {
            let digits = Self.digits(of: words[place][...])
            guard let id = TaskID(digits), folderIDs[id] != nil else { continue }
            words[place] = word(id) + words[place].dropFirst(digits.count)
        }
        return words.joined(separator: " ")
    }

    /// The text of an event, whose first word may be the number of its task.
    package func text(of event: JournalEvent) -> String {
        guard isForeign, let task = event.task else { return text(event.text) }
        let number = "#\(task) "
        guard event.text.hasPrefix(number) else { return event.text }
        return "\(name(task)) \(event.text.dropFirst(number.count))"
    }

    /// The reason of a pause. For a breakpoint it names the task that caused the stop.
    package func reason(of pause: Pause) -> String? {
        pause.cause == .breakpoint ? pause.reason.map(text) : pause.reason
    }

    /// The command of what removes a blocker, with its task by its name.
    package func command(_ fix: Blocker.Fix) -> String {
        CommandText(names: self, now: Timestamp(milliseconds: 0)).of(fix)
    }

    /// The same with a prompt: `$ sluice retry 7`; a command that only reads begins with `see`.
    package func offer(_ fix: Blocker.Fix, prompt: String = "") -> String {
        if case .why = fix { return "see \(prompt)sluice \(command(fix))" }
        return "\(prompt)sluice \(command(fix))"
    }

    /// The places of words that name the task of a command.
    private static func taskWords(in words: [Substring]) -> [Int] {
        words.indices.dropFirst(2).filter { place in
            if words[place - 1] == "--task" { return words[place - 2] == "step" }
            return words[place - 2] == "sluice" && taskVerbs.contains(words[place - 1])
        }
    }

    /// The commands whose first word is a task.
    private static let taskVerbs = Set(
        Action.all.compactMap(\.command).filter { $0.argumentValues.first == .task }.map {
            Substring($0.name)
        })

    private static func digits(of text: Substring) -> Substring {
        text.prefix { $0.isASCII && $0.isNumber }
    }
}

extension Reading {
    /// The names of tasks; one that the folder has forgotten keeps its number.
    package func names<Tasks: Sequence<TaskID>>(of tasks: @autoclosure () -> Tasks) throws
        -> TaskNames
    {
        guard let naming = store.naming else { return TaskNames() }
        var ids: [TaskID: String] = [:]
        for task in Set(tasks()) { ids[task] = try naming.uuid(of: task) }
        return TaskNames(ids)
    }
}

extension Sequence<TaskLine> {
    /// The tasks that these lines name: their own, what holds them, what blocks them.
    package var namedTasks: [TaskID] {
        flatMap { line in
            [line.task.id] + [line.heldBy].compactMap { $0 } + line.blockers.compactMap(\.task)
        }
    }
}

extension Sequence<Pause> {
    package var namedTasks: [TaskID] { flatMap { $0.hits.map(\.task) } }
}
