import SluiceModel
import SluiceStore

/// The attempts in the slots of workers.
extension Reading {
    /// The newest lines of the log that a picture of workers reads.
    private static let laneLines = 1000

    /// The attempts of the attached workers that run, or that ended in the last milliseconds.
    func workerTimeline(last: Int64) throws -> TaskTimeline {
        let entries = try store.journal(JournalQuery(limit: Self.laneLines, withUndo: false))
        var ended: [ProcessID: [AttemptRecord]] = [:]
        var oldest = real
        for case .attempt(let attempt) in entries {
            let end = attempt.endedAt ?? attempt.startedAt
            oldest = min(oldest, end)
            if end >= real + -last { ended[attempt.runner, default: []].append(attempt) }
        }
        let isCut = entries.count == Self.laneLines && oldest > real + -last
        let runners = try processes().filter { $0.role == .runner }
        let rows = try runners.flatMap { runner in
            let leases = try store.tasksRun(by: runner.id).compactMap { task in
                task.running.map { AttemptRecord(task: task, $0) }
            }
            return TimelineRow.lanes(of: runner, (ended[runner.id] ?? []) + leases)
        }
        return TaskTimeline(
            .workers(last: last), Array(rows.prefix(TaskTimeline.limit)), at: real,
            isCut: isCut || rows.count > TaskTimeline.limit)
    }
}

extension TimelineRow {
    /// A row for each slot of a worker. The store does not keep the slot of an attempt: each takes
    /// the first one that was free when it began.
    fileprivate static func lanes(
        of process: ProcessRecord, _ attempts: [AttemptRecord]
    ) -> [TimelineRow] {
        var lanes: [[AttemptRecord]] = Array(repeating: [], count: max(1, process.slots))
        func freeAt(_ lane: [AttemptRecord]) -> Timestamp {
            guard let last = lane.last else { return Timestamp(milliseconds: .min) }
            return last.endedAt ?? Timestamp(milliseconds: .max)
        }
        for attempt in attempts.sorted(by: { ($0.startedAt, $0.task) < ($1.startedAt, $1.task) }) {
            let free = lanes.firstIndex { freeAt($0) <= attempt.startedAt }
            // Clocks differ. Use the slot with the earliest end.
            let next = lanes.indices.min { freeAt(lanes[$0]) < freeAt(lanes[$1]) }
            guard let place = free ?? next else { continue }
            lanes[place].append(attempt)
        }
        return lanes.enumerated().map { place, attempts in
            TimelineRow(Lane(process: process.id, pid: process.pid, slot: place + 1), attempts)
        }
    }
}
