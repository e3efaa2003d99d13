import SluiceControl
import SluiceModel
import SluiceStore

/// The views of all queues together.
extension SceneLoader {
    /// The part of a list in another order than its own; nil where it is in that.
    func ordered(
        _ rows: RowsRequest, _ reader: AllReader, _ queue: QueueRecord?, _ counts: QueueCounts
    ) throws -> TaskPage? {
        guard rows.order != .running else { return nil }
        return try SortedReader(reader: reader, queue: queue, counts: counts).page(rows)
    }

    func loadAll(_ request: LoadRequest, _ scene: inout LoadedScene) throws {
        switch request.view {
        case .inventory:
            let reader = try AllReader(
                reading, filter: request.rows.filter, withEnded: request.rows.withEnded,
                hands: hands)
            let ordered = try self.ordered(request.rows, reader, nil, scene.counts)
            var page = try ordered ?? reader.page(request.rows)
            if request.rows.filter == nil, ordered == nil {
                page.total = scene.taskCount + (request.rows.withEnded ? scene.endedCount : 0)
            }
            if ordered == nil, page.reachesEnd, !page.reachesStart, page.search == nil {
                page.countBefore = page.total.map { max(0, $0 - page.rows.count) }
            }
            page.isTooLong = ordered == nil && request.rows.order != .running
            try dress(&page, request, in: nil)
            scene.page = page
        case .activity: try loadActivity(of: nil, request, &scene)
        case .failures: try loadFailures(of: nil, request, &scene)
        case .groups, .timers, .runners, .queues, .debugger, .flow, .fleet: break
        }
    }
}
