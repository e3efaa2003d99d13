import SluiceControl
import SluiceModel

/// Looks through a queue page by page for the tasks that match a filter.
struct TaskScan {
    private let reading: Reading
    private let withBlockers: Bool
    /// Only what matches; nil for everything.
    var filter: TaskFilter?
    /// The parts of the list that are looked through.
    var sections: [ListSection] = [.running, .waiting, .failed]
    /// Begins behind this place.
    var place: ListPlace?

    /// How many tasks are read at a time.
    private static let pageSize = 1000

    /// A scan at one moment of a store.
    init(_ reading: Reading, withBlockers: Bool = false) {
        self.reading = reading
        self.withBlockers = withBlockers
    }

    /// At most `limit` matching tasks of a queue, in its running order.
    func entries(in queue: QueueRecord, limit: Int) throws -> [ListPage.Entry] {
        var found: [ListPage.Entry] = []
        var place = place
        while found.count < limit {
            let wanted = filter == nil ? min(limit - found.count, Self.pageSize) : Self.pageSize
            let page = try reading.list(
                queue: queue.name, sections: sections, from: place, limit: wanted,
                withBlockers: withBlockers)
            for line in page where try reading.matches(line, filter) {
                found.append(ListPage.Entry(line: line, queue: queue))
                if found.count == limit { break }
            }
            guard page.count == wanted, let last = page.last else { break }
            place = ListPlace(last.task, order: queue.settings.order)
        }
        return found
    }
}
