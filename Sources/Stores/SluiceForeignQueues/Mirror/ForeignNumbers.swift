package import SluiceModel
import SluiceSystem

/// Numbers for tasks of other systems, which are named by texts: a task keeps its number for as
/// long as this value lives.
package final class ForeignNumbers: Sendable {
    /// A task by its system and the id that it has there.
    package struct Name: Hashable, Sendable {
        package var system: String
        /// Its own system's id.
        package var reference: String

        package init(system: String, reference: String) {
            (self.system, self.reference) = (system, reference)
        }

        /// By the bytes of the id.
        package static func == (one: Self, other: Self) -> Bool {
            one.system == other.system && one.reference.isSame(as: other.reference)
        }

        package func hash(into hasher: inout Hasher) {
            hasher.combine(system)
            hasher.combine(ExactText(reference))
        }
    }

    private struct Known: Sendable {
        var numbers: [Name: TaskID] = [:]
        var names: [Name] = []
        var running: [TaskID: Timestamp] = [:]
    }
    private let known = Protected(Known())

    /// No task has a number yet.
    package init() {}

    /// The number of a task; a task without a number gets the next one.
    package func number(_ name: Name) -> TaskID {
        known.withLock { known in
            if let number = known.numbers[name] { return number }
            known.names.append(name)
            let number = TaskID(known.names.count)
            known.numbers[name] = number
            return number
        }
    }

    /// Gives the number of a task to its new id, which an edit made. A new id that has a number
    /// keeps that one.
    package func rename(_ number: TaskID, to reference: String) {
        known.withLock { known in
            let place = Int(number) - 1
            guard known.names.indices.contains(place) else { return }
            let old = known.names[place]
            let new = Name(system: old.system, reference: reference)
            guard known.numbers[new] == nil else { return }
            known.numbers[old] = nil
            known.numbers[new] = number
            known.names[place] = new
        }
    }

    func number(_ entry: ForeignLook.FoundTask) -> TaskID {
        number(Name(system: entry.system, reference: entry.task.reference))
    }

    /// The first time each running task was seen to run. Forgets tasks that are not in `now`.
    func running(_ now: Set<TaskID>, at moment: Timestamp) -> [TaskID: Timestamp] {
        known.withLock { known in
            let former = known.running
            known.running = Dictionary(
                now.map { ($0, former[$0] ?? moment) }, uniquingKeysWith: { first, _ in first })
            return known.running
        }
    }

    /// The ids of all that have a number.
    package var references: [TaskID: String] {
        known.withLock { known in
            Dictionary(
                known.names.enumerated().map { (TaskID($0 + 1), $1.reference) },
                uniquingKeysWith: { first, _ in first })
        }
    }

    /// The task of a number; nil for an unknown number.
    package func name(_ number: TaskID) -> Name? {
        known.withLock { known in
            let place = Int(number) - 1
            return known.names.indices.contains(place) ? known.names[place] : nil
        }
    }
}
