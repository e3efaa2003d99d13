import SluiceModel
import SluiceStore

/// The ends not yet written to the tables: attempts by minute, and failed tasks.
struct EndedTallies {
    private struct Place: Hashable {
        var queue: Int64
        var code: Int64
        var minute: Int64
    }

    private struct Failed: Hashable {
        var queue: Int64
        var kind: FailureKind
        var type: String
    }

    private struct Change {
        var count = 0
        var attempts = 0
        var first = Timestamp(milliseconds: .max)
        var last = Timestamp(milliseconds: .min)
    }

    private var ends: [Place: [Int]] = [:]
    private var waits: [Place: [Int]] = [:]
    private var failed: [Failed: Change] = [:]

    var isEmpty: Bool { ends.isEmpty && failed.isEmpty && waits.isEmpty }

    mutating func add(_ attempt: AttemptRecord, queue: Int64) {
        guard let (what, at) = attempt.endedClass else { return }
        add(1, what, at, queue: queue)
    }

    /// An attempt began.
    mutating func add(_ wait: DurationBucket, at moment: Timestamp, queue: Int64) {
        let place = Place(
            queue: queue, code: wait.number, minute: EndedCounts.minute(of: moment))
        waits[place, default: Array(repeating: 0, count: 6)][EndedCounts.sixth(of: moment)] += 1
    }

    /// A task was something and is something else; nil for one that comes or goes.
    mutating func move(
        from old: QueueTask?, _ oldQueue: Int64, to new: QueueTask?, _ newQueue: Int64
    ) {
        if let old, case .failed(let failure) = old.state { add(-1, old, failure, oldQueue) }
        if let new, case .failed(let failure) = new.state { add(1, new, failure, newQueue) }
    }

    private mutating func add(
        _ count: Int, _ task: QueueTask, _ failure: Failure, _ queue: Int64
    ) {
        let kind = FailureKind(of: failure.reason)
        add(count, .failures(kind.key), failure.at, queue: queue)
        let key = Failed(queue: queue, kind: kind, type: task.type)
        var change = failed[key] ?? Change()
        change.count += count
        change.attempts += count * task.attempts
        if count > 0 {
            change.first = min(change.first, failure.at)
            change.last = max(change.last, failure.at)
        }
        failed[key] = change
    }

    private mutating func add(
        _ count: Int, _ what: EndedCounts.Class, _ at: Timestamp, queue: Int64
    ) {
        let place = Place(
            queue: queue, code: EndedRow.code(what), minute: EndedCounts.minute(of: at))
        ends[place, default: Array(repeating: 0, count: 6)][EndedCounts.sixth(of: at)] += count
    }

    /// Drops the counts of a removed queue.
    mutating func forget(queue: Int64) {
        ends = ends.filter { $0.key.queue != queue }
        waits = waits.filter { $0.key.queue != queue }
        failed = failed.filter { $0.key.queue != queue }
    }

    mutating func write(_ connection: any TableConnection) throws(QueueError) {
        if isEmpty { return }
        var all: [Place: [Int]] = [:]
        for (place, sixths) in ends {
            try put(sixths, place, EndedRow.put, connection)
            var whole = place
            whole.queue = 0
            let sum = all[whole] ?? Array(repeating: 0, count: 6)
            all[whole] = zip(sum, sixths).map(+)
        }
        for (place, sixths) in all { try put(sixths, place, EndedRow.put, connection) }
        for (place, sixths) in waits { try put(sixths, place, EndedRow.putWaits, connection) }
        for (key, change) in failed where change.count != 0 || change.attempts != 0 {
            try put(change, key, connection)
        }
        ends.removeAll(keepingCapacity: true)
        failed.removeAll(keepingCapacity: true)
        waits.removeAll(keepingCapacity: true)
    }

    private func put(
        _ sixths: [Int], _ place: Place, _ query: Query, _ connection: any TableConnection
    ) throws(QueueError) {
        guard sixths.contains(where: { $0 != 0 }) else { return }
        let row = try connection.prepare(query)
        row.bind(place.queue)
        row.bind(place.code)
        row.bind(place.minute & Int64(EndedCounts.keptMinutes - 1))
        row.bind(place.minute)
        for count in sixths { row.bind(count) }
        try row.run()
    }

    private func put(
        _ change: Change, _ key: Failed, _ connection: any TableConnection
    ) throws(QueueError) {
        let row = try connection.prepare(FailureRow.put)
        row.bind(key.queue)
        row.bind(key.kind.key)
        row.bind(key.type)
        row.bind(key.kind.text)
        row.bind(change.count)
        row.bind(change.attempts)
        row.bind(change.first)
        row.bind(change.last)
        try row.run()
        guard change.count < 0 else { return }
        let empty = try connection.prepare(FailureRow.removeEmpty)
        empty.bind(key.queue)
        empty.bind(key.kind.key)
        empty.bind(key.type)
        try empty.run()
    }
}
