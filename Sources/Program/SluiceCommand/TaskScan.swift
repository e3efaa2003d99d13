import SluiceControl
import SluiceModel

/// Looks through queues for the tasks that match a filter.
struct TaskScan {
    private let reading: Reading
    private let withBlockers: Bool
    /// Only what matches; nil for everything.
    var filter: TaskFilter?
    var sections: [ListSection] = [.running, .waiting, .failed]
    /// The position before the first result.
    var place: ListPlace?

    /// A scan at one moment of a store.
    init(_ reading: Reading, withBlockers: Bool = false) {
        self.reading = reading
        self.withBlockers = withBlockers
    }

    /// At most `limit` matching tasks of a queue, in its running order.
    func entries(in queue: QueueRecord, limit: Int) throws -> [ListPage.Entry] {
        if let names = filter?.names(of: .queue), !names.contains(queue.name) { return [] }
        guard filter != nil else {
            let lines = try reading.list(
                queue: queue.name, sections: sections, from: place, limit: limit,
                withBlockers: withBlockers)
            return lines.map { ListPage.Entry(line: $0, queue: queue) }
        }
        var found: [QueueTask] = []
        try FilteredQueue(reading, queue, filter).each(in: sections, behind: place) { task in
            found.append(task)
            return found.count < limit ? .goOn : .stop
        }
        return try reading.lines(found, of: queue, withBlockers: withBlockers).map {
            ListPage.Entry(line: $0, queue: queue)
        }
    }
}
