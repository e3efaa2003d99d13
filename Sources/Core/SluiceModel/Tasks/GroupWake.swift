/// Deferred work for the many members of a group after a start ended or returned. Later commits
/// process the members in slices, in the queue's order (T2).
package struct GroupWake: Hashable, Sendable {
    package struct VerbPlace: Hashable, Sendable {
        /// Its event, or the first of its bulk.
        package var event: Int64
        package var person: String

        package init(event: Int64, person: String) {
            self.event = event
            self.person = person
        }
    }

    /// The members that a start's end affects: later members that existed at that moment (Q10).
    package struct Taking: Hashable, Sendable {
        package var start: TaskID
        /// Its position when it ended; members before it stay.
        package var position: Int64
        /// Members with this number and later ones came after the end, and stay.
        package var below: TaskID
        /// The person who deletes the members; `nil` if they fail together with the start.
        package var deletedBy: String?
        /// The verb that it belongs to, so that its undo brings these members back too (D9); nil
        /// where the start ended otherwise.
        package var verb: VerbPlace?

        /// Creates the set of members that the end of `start` affects.
        package init(start: QueueTask, below: TaskID, deletedBy: String? = nil) {
            self.init(
                start: start.id, position: start.position, below: below, deletedBy: deletedBy)
        }

        /// Creates a set from stored values.
        package init(start: TaskID, position: Int64, below: TaskID, deletedBy: String?) {
            self.start = start
            self.position = position
            self.below = below
            self.deletedBy = deletedBy
        }

        /// Whether it is about a task, which must be a member of the group.
        package func takes(_ member: QueueTask) -> Bool {
            member.position > position && member.id < below && member.id != start
        }
    }
    package var group: String
    /// The members that end with the start. `nil` if the wake only updates whether members are held
    /// (B5).
    package var taking: Taking?
    /// The place of the last processed task; `nil` before the first.
    package var cursor: OrderKey?

    package init(group: String, taking: Taking? = nil) {
        self.group = group
        self.taking = taking
    }

    /// Whether it is about the same as another, however far each has come.
    package func isSame(as other: GroupWake) -> Bool {
        group == other.group && taking?.start == other.taking?.start
    }

    /// Whether it has come to a task already.
    package func hasPassed(_ task: QueueTask, order: QueueOrder) -> Bool {
        cursor.map { OrderKey(task, order: order) <= $0 } ?? false
    }
}

extension QueueRecord {
    /// The wake that has not come to a waiting task's place yet, so that nothing takes the task and
    /// order holds (T2).
    package func barrier(before task: QueueTask) -> GroupWake? {
        wakes.first { !$0.hasPassed(task, order: settings.order) }
    }

    /// Lets every wake begin again: the order that it followed is another one now.
    package mutating func restartWakes() {
        for place in wakes.indices { wakes[place].cursor = nil }
    }
}
