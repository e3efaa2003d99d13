import SluiceControl
import SluiceModel
import SluiceStore

/// Which of the list's rows a page begins with.
extension PageReader {
    /// The number of rows of an unfiltered list before a page, from the queue's counts. `nil` if
    /// the page is too far from both ends of its section.
    func countBefore(_ page: TaskPage, _ counts: QueueCounts) throws -> Int? {
        guard !page.reachesStart, let task = page.rows.first?.task else { return nil }
        let place = ListPlace(task, order: queue.settings.order)
        let former = sections.prefix { $0 != place.section }.reduce(0) { $0 + counts[$1.state] }
        let before = try count(from: place, isBackwards: true)
        if before < countLimit { return former + before }
        let behind = try count(from: place, isBackwards: false)
        guard behind < countLimit else { return nil }
        return former + counts[place.section.state] - behind - 1
    }

    private func count(from place: ListPlace, isBackwards: Bool) throws -> Int {
        guard let key = place.key else { return 0 }
        var rest = TaskQuery(queue: queue.name, state: place.section.state, limit: countLimit)
        rest.after = key
        rest.isBackwards = isBackwards
        return try reading.store.countTasks(.page(rest), limit: countLimit)
    }
}
