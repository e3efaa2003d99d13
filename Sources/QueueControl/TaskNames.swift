public import QueueModel
import QueueStore

/// How the tasks of a store are named to people: `#1042`, or in a Customer.io folder by the first 8
/// characters of their UUID (P6).
public struct TaskNames: Hashable, Sendable {
    private var folderIDs: [TaskID: String]

    /// Names by the ids in a folder; without one a task is named by its number.
    public init(_ folderIDs: [TaskID: String] = [:]) { self.folderIDs = folderIDs }

    /// Whether no task has a name other than its number.
    public var isEmpty: Bool { folderIDs.isEmpty }

    /// The name of a task: `#1042` or `3143DAD0`.
    public func name(_ id: TaskID) -> String {
        folderIDs[id].map { String($0.prefix(8)) } ?? "#\(id)"
    }

    /// The whole name: `#1042`, or the UUID.
    public func reference(_ id: TaskID) -> String { folderIDs[id] ?? "#\(id)" }

    /// The name as a command takes it: `1042` or `3143DAD0`. An id that is no UUID has a number.
    public func word(_ id: TaskID) -> String {
        let name = name(id)
        if case .uuid? = try? TaskReference(name) { return name }
        // Eight digits could be another task's number: the ninth character says what is meant.
        if let whole = folderIDs[id], case .uuid? = try? TaskReference(String(whole.prefix(13))) {
            return String(whole.prefix(13))
        }
        return "\(id)"
    }

    /// The task that a person named; nil for a UUID that is not among the names, or fits several.
    public func task(_ reference: TaskReference) -> TaskID? {
        let found = folderIDs.filter { reference.matches(uuid: $0.value) }
        return found.count == 1 ? found.first?.key : found.isEmpty ? reference.number : nil
    }

    /// Takes over the names of others.
    public mutating func add(_ others: TaskNames) {
        folderIDs.merge(others.folderIDs) { $1 }
    }

    /// How many names there are.
    public var count: Int { folderIDs.count }
}

/// Names in sentences that were written with numbers.
extension TaskNames {
    /// A sentence of ours with each `#1042` that has a name by that name.
    public func text(_ sentence: String) -> String {
        guard !isEmpty, sentence.contains("#") else { return sentence }
        var text = ""
        var rest = sentence[...]
        while let sign = rest.firstIndex(of: "#") {
            let digits = rest[rest.index(after: sign)...].prefix { $0.isASCII && $0.isNumber }
            text += rest[..<sign]
            text += TaskID(digits).map(name) ?? "#\(digits)"
            rest = rest[digits.endIndex...]
        }
        return text + rest
    }

    /// What removes a blocker (`retry 1042`), with the task by its name.
    public func command(_ fix: String) -> String {
        var words = fix.split(separator: " ").map(String.init)
        let takesTask: Set<String> = [
            "retry", "why", "skip", "unskip", "undelete", "reclaim", "step",
        ]
        guard !isEmpty, let verb = words.first, takesTask.contains(verb), let last = words.last,
            let id = TaskID(last), folderIDs[id] != nil
        else { return fix }
        words[words.count - 1] = word(id)
        return words.joined(separator: " ")
    }
}

extension Reading {
    /// The names of tasks; one that the folder has forgotten keeps its number.
    public func names(of tasks: some Sequence<TaskID>) throws -> TaskNames {
        guard let naming = store as? any TaskNaming else { return TaskNames() }
        var ids: [TaskID: String] = [:]
        for task in Set(tasks) { ids[task] = try naming.folderID(of: task) }
        return TaskNames(ids)
    }
}

extension Sequence<TaskLine> {
    /// The tasks that these lines name: their own, what holds them, what blocks them.
    public var namedTasks: [TaskID] {
        flatMap { line in
            [line.task.id] + [line.heldBy].compactMap { $0 } + line.blockers.compactMap(\.task)
        }
    }
}
