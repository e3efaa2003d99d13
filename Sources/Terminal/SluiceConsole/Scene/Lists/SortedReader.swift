import SluiceControl
import SluiceModel
import SluiceStore

/// Reads a page of a list in another order than its queue's. It reads all tasks of the list, so the
/// list must be short.
struct SortedReader {
    /// A longer list stays in its own order.
    static let limit = 10_000

    let reader: AllReader
    /// The queue; nil for all of them.
    let queue: QueueRecord?
    let counts: QueueCounts

    private var reading: Reading { reader.reading }

    /// The part that a request asks for; nil where the list is too long.
    func page(_ request: RowsRequest) throws -> TaskPage? {
        let count = reader.sections.reduce(0) { $0 + counts[$1.state] }
        guard count <= Self.limit else { return nil }
        let now = reading.real
        let tasks = try request.order.sorted(try matches()) { task in
            guard task.executions > 0, let last = try reading.store.attempts(of: task.id).last
            else { return -1 }
            return (last.endedAt ?? now) - last.startedAt
        }
        var place = request.anchor == .end ? tasks.count - 1 : 0
        if request.anchor != .start, request.anchor != .end { place = request.row ?? 0 }
        let wanted = try PageReader.target(of: request, in: reading.store)
        let found = wanted.flatMap { id in tasks.firstIndex { $0.id == id } }
        place = min(max(0, found ?? place), max(0, tasks.count - 1))
        let isAtStart = request.anchor == .start && place < 3 * request.height
        let first = isAtStart ? 0 : max(0, place - 2 * request.height)
        let end = min(tasks.count, max(place, first) + 2 * request.height + 1)
        var page = TaskPage(rows: try reader.lines(Array(tasks[first..<end])))
        (page.reachesStart, page.reachesEnd) = (first == 0, end == tasks.count)
        (page.countBefore, page.total) = (first, tasks.count)
        (page.anchorIndex, page.isFollowed) = (place - first, found != nil)
        page.settings = reader.settings
        return page
    }

    private func matches() throws -> [QueueTask] {
        var tasks: [QueueTask] = []
        let queues =
            try queue.map { [$0] } ?? reading.store.queues(.holding(reader.states)).map(\.record)
        for queue in queues {
            try reader.part(of: queue).each(in: reader.sections) { task in
                tasks.append(task)
                return .goOn
            }
        }
        return tasks
    }
}
