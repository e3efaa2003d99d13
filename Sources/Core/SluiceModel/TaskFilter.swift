/// The predicate of `--filter`: words that must all hold, such as `state:failed -type:track` (D10).
public struct TaskFilter: Hashable, Sendable {
    /// One word: what must hold, or must not.
    public struct Word: Hashable, Sendable {
        /// Whether it must not hold.
        public var isNegated: Bool
        /// What is asked.
        public var term: Term

        /// A word that must hold, or with `isNegated` must not.
        public init(_ term: Term, isNegated: Bool = false) {
            self.term = term
            self.isNegated = isNegated
        }
    }

    /// What a word asks about a task.
    public enum Term: Hashable, Sendable {
        /// It shows one of these states.
        case state([State])
        case type(String)
        case queue(String)
        /// It starts or belongs to the group.
        case group(String)
        /// Its session has the name.
        case session(String)
        /// Its payload holds these letters, byte for byte.
        case text(String)
        /// Its number lies in one of the ranges, or its UUID in a folder begins like one of these.
        case id([ClosedRange<TaskID>], uuids: [TaskReference] = [])
    }

    /// The words after `state:`; a stored state takes in the finer ones that it shows as.
    public enum State: String, Hashable, Sendable, CaseIterable {
        case waiting, next, due, delayed, retrying, heldByGroup, parked, skipped, blocked
        case running, stuck, succeeded, failed, deleted
    }

    /// The words; with none every task matches.
    public var words: [Word]

    /// A filter of words.
    public init(_ words: [Word] = []) { self.words = words }

    /// Whether every word holds for a task that shows as `display`. A waiting task that has expired
    /// shows as failed, and counts so (Q8). `uuid` is the task's, where it is known; its `payload`
    /// is only asked for where a word is about it and the others hold.
    public func matches(
        _ task: QueueTask, display: Display, uuid: String? = nil, payload: () throws -> [UInt8]
    ) rethrows -> Bool {
        var texts: [(bytes: [UInt8], isNegated: Bool)] = []
        for word in words {
            if case .text(let text) = word.term {
                texts.append((Array(text.utf8), word.isNegated))
            } else if word.term.matches(task, display: display, uuid: uuid) == word.isNegated {
                return false
            }
        }
        guard !texts.isEmpty else { return true }
        let payload = try payload()
        return texts.allSatisfy { payload.holds($0.bytes) != $0.isNegated }
    }

    /// What the payload of every match holds; nil where no word says so.
    public var text: [UInt8]? {
        for word in words where !word.isNegated {
            if case .text(let text) = word.term { return Array(text.utf8) }
        }
        return nil
    }

    /// The one queue that every match lies in, where a word says so.
    public var queue: String? {
        for word in words where !word.isNegated {
            if case .queue(let name) = word.term { return name }
        }
        return nil
    }

    /// The stored states that a match may have.
    public var storedStates: Set<TaskState.Name> {
        words.reduce(into: Set(TaskState.Name.allCases)) { states, word in
            guard case .state(let asked) = word.term, !word.isNegated else { return }
            states.formIntersection(asked.flatMap(\.stored))
        }
    }
}

extension TaskFilter.Term {
    fileprivate func matches(_ task: QueueTask, display: Display, uuid: String?) -> Bool {
        switch self {
        case .state(let states): states.contains { $0.displays.contains(display) }
        case .type(let name): task.type == name
        case .queue(let name): task.queue == name
        case .group(let name): task.groupStart == name || task.groupMembers.contains(name)
        case .session(let name): task.session == name
        // Who asks has the payload.
        case .text: true
        case .id(let ranges, let uuids):
            ranges.contains { $0.contains(task.id) }
                || uuids.contains { reference in uuid.map(reference.matches) ?? false }
        }
    }
}

extension TaskFilter.State {
    /// What a task of this state may show.
    public var displays: Set<Display> {
        switch self {
        case .waiting:
            [.next, .due, .delayed, .retrying, .heldByGroup, .parked, .skipped, .blocked]
        case .next: [.next]
        case .due: [.next, .due]
        case .delayed: [.delayed]
        case .retrying: [.retrying]
        case .heldByGroup: [.heldByGroup]
        case .parked: [.parked]
        case .skipped: [.skipped]
        case .blocked: [.blocked]
        case .running: [.running, .stuck]
        case .stuck: [.stuck]
        case .succeeded: [.succeeded]
        case .failed: [.failed]
        case .deleted: [.deleted]
        }
    }

    /// The stored states that show so; an expired waiting task shows as failed.
    fileprivate var stored: [TaskState.Name] {
        switch self {
        case .waiting, .next, .due, .delayed, .retrying, .heldByGroup, .parked, .skipped,
            .blocked:
            [.waiting]
        case .running, .stuck: [.running]
        case .succeeded: [.succeeded]
        case .failed: [.failed, .waiting]
        case .deleted: [.deleted]
        }
    }
}

extension TaskFilter: CustomStringConvertible {
    /// The spelling that reads back as the same filter.
    public var description: String { words.map(\.description).joined(separator: " ") }
}

extension TaskFilter.Word: CustomStringConvertible {
    /// The word as a filter spells it.
    public var description: String { (isNegated ? "-" : "") + term.description }
}

extension TaskFilter.Term: CustomStringConvertible {
    /// The word as a filter spells it, without its negation.
    public var description: String {
        switch self {
        case .state(let states):
            "state:" + states.map(\.rawValue).joined(separator: ",")
        case .type(let name): "type:" + Self.quoted(name)
        case .queue(let name): "queue:" + Self.quoted(name)
        case .group(let name): "group:" + Self.quoted(name)
        case .session(let name): "session:" + Self.quoted(name)
        case .text(let text): "text:" + Self.quoted(text)
        case .id(let ranges, let uuids):
            // Digits alone are among the ranges already.
            "id:"
                + (ranges.map(Self.spelled)
                + uuids.filter { $0.number == nil }.map(\.description)).joined(separator: ",")
        }
    }

    private static func spelled(_ range: ClosedRange<TaskID>) -> String {
        let isOne = range.lowerBound == range.upperBound
        return isOne ? "\(range.lowerBound)" : "\(range.lowerBound)..\(range.upperBound)"
    }

    private static func quoted(_ name: String) -> String {
        let special: Set<Unicode.Scalar> = [" ", "\t", "\n", "\r", "\"", "\\"]
        guard name.isEmpty || name.unicodeScalars.contains(where: special.contains) else {
            return name
        }
        let escaped = name.unicodeScalars.map { scalar in
            (scalar == "\"" || scalar == "\\" ? "\\" : "") + String(scalar)
        }
        return "\"\(escaped.joined())\""
    }
}
