import SluiceControl
import SluiceModel
import SluiceStore

/// Looking for the few that match among the tasks of all queues, a part at a time: through the rows
/// as they lie where no index narrows them, else through one queue after the other.
extension AllReader {
    private static let step = 1000
    private static let hitsAtOnce = 2000

    /// The part of a search that one read does.
    func searchPage(_ request: RowsRequest) throws -> TaskPage {
        var search = request.search ?? SearchState()
        if !search.isDone { try goOn(&search) }
        guard search.hits.count <= hitLimit else { return try tooMuch(request) }
        let follow = request.follow.flatMap { id in search.hits.firstIndex { $0.id == id } }
        let wanted = max(
            3 * request.height, request.searchLimit, follow.map { $0 + 2 * request.height } ?? 0)
        let ids = search.hits.prefix(wanted).map(\.id)
        let found = try matching(try reading.store.tasks(ids))
        // Remove tasks that no longer match.
        let here = Set(found.map(\.id))
        search.hits.removeAll { ids.contains($0.id) && !here.contains($0.id) }
        var page = following(request, TaskPage(rows: try lines(found)))
        page.reachesEnd = search.isDone && page.rows.count == search.hits.count
        page.total = search.isDone ? search.hits.count : nil
        page.isCut = !search.isDone
        page.search = search
        return page
    }

    /// Too many matches to keep. A search by number finds enough of them.
    private func tooMuch(_ request: RowsRequest) throws -> TaskPage {
        var request = request
        var search = SearchState()
        search.isTooMuch = true
        request.search = search
        return try page(request)
    }

    private func goOn(_ search: inout SearchState) throws {
        if search.rows == nil, search.queue == nil, search.looked == 0, goesByRows,
            let numbers = try reading.store.rowNumbers(ofSearchIn: nil)
        {
            search.begin(rows: numbers)
        }
        if search.rows != nil { try goOnByRows(&search) } else { try goOnByQueues(&search) }
    }

    /// Whether rows say more than indexes: where no name narrows them.
    private var goesByRows: Bool {
        guard let filter else { return false }
        return filter.rowCondition != nil && filter.names(of: .type) == nil
            && filter.names(of: .queue) == nil && filter.names(of: .group) == nil
            && filter.names(of: .session) == nil
    }

    private func goOnByRows(_ search: inout SearchState) throws {
        guard let rows = search.rows, let first = rows.first, let condition = filter?.rowCondition
        else { return }
        let findings = try hands.look(
            RowSearch(
                queue: nil, states: states, condition: condition, numbers: first,
                limit: 2 * searchBudget.further, hitLimit: Self.hitsAtOnce),
            through: rows, in: reading.store)
        search.add(try matching(try reading.store.tasks(findings.found)).map(Self.hit))
        search.looked += findings.looked
        search.finish(left: findings.left)
    }

    private func goOnByQueues(_ search: inout SearchState) throws {
        let names = filter?.names(of: .queue)
        let queues = try reading.store.queues(.holding(states)).map(\.record).filter {
            names?.contains($0.name) ?? true
        }
        var budget = searchBudget.further
        for queue in queues where queue.name >= search.queue ?? "" {
            if queue.name != search.queue { (search.queue, search.place) = (queue.name, nil) }
            guard try goOn(&search, through: queue, &budget) else { return }
        }
        search.isDone = true
    }

    /// Continues the search in a queue. Returns false if the budget ends within the queue.
    private func goOn(
        _ search: inout SearchState, through queue: QueueRecord, _ budget: inout Int
    ) throws -> Bool {
        let part = part(of: queue)
        let begin = search.place.flatMap { place in sections.firstIndex { $0 == place.section } }
        for section in sections[(begin ?? 0)...] {
            var key = search.place?.section == section ? search.place?.key : nil
            while true {
                search.place = ListPlace(section, key: key)
                guard budget > 0, search.hits.count <= hitLimit else { return false }
                var query = TaskQuery(
                    queue: queue.name, state: section.state, limit: min(budget, Self.step))
                query.after = key
                let page = try part.page(query)
                search.add(try part.matching(page.tasks).map(Self.hit))
                search.looked += page.looked
                budget -= page.looked
                guard page.looked == query.limit, let last = page.last else { break }
                key = last
            }
        }
        return true
    }

    /// A match with its place among all queues.
    private static func hit(_ task: QueueTask) -> SearchState.Hit {
        let key = OrderKey(moment: Timestamp(milliseconds: 0), id: task.id, isNewestFirst: false)
        return SearchState.Hit(id: task.id, place: ListPlace(.running, key: key))
    }
}
