import SluiceControl
import SluiceModel
import SluiceStore

/// Looking through payloads, a part of the list at a time.
extension PageReader {
    private static let step = 5000

    /// The part of a search that one read does.
    func searchPage(_ request: RowsRequest) throws -> TaskPage {
        var search = request.search ?? SearchState()
        let wanted = wanted(request, search)
        let condition = filtered.rowCondition
        if search.rows != nil, let condition {
            try goOnByRows(&search, for: condition)
        } else {
            try goOn(&search, wanted: wanted)
            let isShort = !search.isDone && search.hits.count < wanted
            if isShort, condition != nil, search.mayGoByRows,
                let numbers = try reading.store.rowNumbers(ofSearchIn: queue.name)
            {
                search.begin(rows: numbers)
            }
        }
        var page = TaskPage(rows: try shown(&search, wanted), reachesStart: true)
        page.reachesEnd = search.isDone && page.rows.count == search.hits.count
        page.total = search.isDone ? search.hits.count : nil
        page.isCut = !search.isDone && (search.rows != nil || page.rows.count < wanted)
        page.search = search
        if let id = request.follow, let row = page.rows.firstIndex(where: { $0.task.id == id }) {
            page.anchorIndex = row
            page.isFollowed = true
        }
        return page
    }

    /// The number of rows to find, including some after the cursor's task.
    private func wanted(_ request: RowsRequest, _ search: SearchState) -> Int {
        let follow = request.follow.flatMap { id in search.hits.firstIndex { $0.id == id } }
        let behind = follow.map { $0 + 2 * request.height } ?? 0
        return max(3 * request.height, request.searchLimit, behind)
    }

    /// The lines of the first that were found. What matches no longer is forgotten.
    private func shown(_ search: inout SearchState, _ wanted: Int) throws -> [TaskLine] {
        var lines: [TaskLine] = []
        var next = 0
        while lines.count < wanted, next < search.hits.count {
            let end = min(next + wanted - lines.count, search.hits.count)
            lines += try matching(try reading.store.tasks(search.hits[next..<end].map(\.id)))
            next = end
        }
        let here = Set(lines.map(\.task.id))
        let rest = search.hits[next...]
        search.hits = search.hits[..<next].filter { here.contains($0.id) } + rest
        return lines
    }

    private func hit(_ line: TaskLine) -> SearchState.Hit {
        SearchState.Hit(
            id: line.task.id, place: ListPlace(line.task, order: queue.settings.order))
    }

    /// Scans rows in storage order, in two threads if a second worker is available.
    private func goOnByRows(
        _ search: inout SearchState, for condition: RowCondition
    ) throws {
        guard let rows = search.rows, let first = rows.first else { return }
        let findings = try hands.look(
            RowSearch(
                queue: queue.name, states: Set(sections.map(\.state)), condition: condition,
                numbers: first, limit: 2 * searchBudget.further, hitLimit: Self.hitsAtOnce),
            through: rows, in: reading.store)
        search.add(try matching(try reading.store.tasks(findings.found)).map(hit))
        search.looked += findings.looked
        search.finish(left: findings.left)
        if search.hits.count > Self.hitLimit { search.goBackToOrder() }
    }

    /// The maximum number of kept matches. With more, most of the list matches, and the running
    /// order finds them quickly.
    private static let hitLimit = 10_000
    private static let hitsAtOnce = 2000

    /// Examines one more budget of tasks, or stops when enough matches exist.
    private func goOn(_ search: inout SearchState, wanted: Int) throws {
        guard !search.isDone else { return }
        var budget = search.looked == 0 ? searchBudget.first : searchBudget.further
        let start = search.looked
        let begin = search.place.flatMap { place in sections.firstIndex { $0 == place.section } }
        for section in sections[(begin ?? 0)...] {
            var key = search.place?.section == section ? search.place?.key : nil
            while true {
                guard budget > 0, search.hits.count < wanted else {
                    search.place = ListPlace(section, key: key)
                    return
                }
                // Examine few tasks if many match, because each match costs a line.
                let step = min(Self.step, max(wanted, search.looked - start))
                var query = TaskQuery(
                    queue: queue.name, state: section.state, limit: min(budget, step))
                query.after = key
                let page = try filtered.page(query)
                search.hits += try matching(page.tasks).map(hit)
                search.looked += page.looked
                budget -= page.looked
                guard page.looked == query.limit, let last = page.last else { break }
                key = last
            }
        }
        search.isDone = true
    }
}
