package import SluiceModel

/// The tasks that a run attempted: for whom each waited, how long it ran, and the part of the
/// required ones (D4).
package struct RunTable: Hashable, Sendable {
    package struct Row: Hashable, Sendable {
        package let task: TaskID
        package let type: String
        /// Whether giving it up pauses the queue (Q6).
        package let isRequired: Bool
        package let wait: TaskTimeline.Wait
        /// How long its attempts took.
        package let milliseconds: Int64
    }
    /// The tasks by their begin.
    package let rows: [Row]
    /// Whether more tasks were attempted than `rows` has.
    package let isCut: Bool
    /// From the begin of the first attempt to the end of the last one.
    package let milliseconds: Int64
    /// From the begin of the first attempt to the end of the last required one; nil without one.
    package let requiredMilliseconds: Int64?
    /// The tasks that decided how long it took, the first one first.
    package let path: [TaskTimeline.Earlier]

    /// The table of a timeline; `required` are the tasks that a failure of stops the queue.
    init(_ timeline: TaskTimeline, required: Set<TaskID>) {
        let attempted = timeline.rows.filter { $0.began != nil }
        rows = attempted.map { row in
            Row(
                task: row.task, type: row.type, isRequired: required.contains(row.task),
                wait: timeline.wait(of: row.untilItsLastAttempt),
                milliseconds: row.worked(at: timeline.at))
        }
        let ends = attempted.filter { required.contains($0.task) }.flatMap { row in
            row.bars.filter(\.kind.isWork).map { $0.to ?? timeline.at }
        }
        (isCut, path) = (timeline.isCut, timeline.criticalPath)
        milliseconds = timeline.to - timeline.from
        requiredMilliseconds = ends.max().map { $0 - timeline.from }
    }

    package subscript(task: TaskID) -> Row? { rows.first { $0.task == task } }
}
