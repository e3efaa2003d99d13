import QueueControl
import QueueModel
import QueueStore

/// Looking through payloads, a part of the list at a time.
extension PageReader {
    private static let step = 5000

    /// The part of a search that one read does.
    func searchPage(_ request: RowsRequest, for text: [UInt8]) throws -> TaskPage {
        var search = request.search ?? SearchState()
        var rows = try matching(try reading.store.tasks(search.found))
        search.found = rows.map(\.task.id)
        let budget = search.looked == 0 ? searchBudget.first : searchBudget.further
        let wanted = max(3 * request.height, request.searchLimit)
        rows += try goOn(&search, for: text, looking: budget, wanted: wanted)
        var page = TaskPage(rows: rows, reachesStart: true, reachesEnd: search.isDone)
        page.isCut = !search.isDone && rows.count < wanted
        page.search = search
        if let id = request.follow, let row = rows.firstIndex(where: { $0.task.id == id }) {
            page.anchorIndex = row
            page.isFollowed = true
        }
        return page
    }

    /// Looks at so many tasks more, or until so many are found.
    private func goOn(
        _ search: inout SearchState, for text: [UInt8], looking budget: Int, wanted: Int
    ) throws -> [TaskLine] {
        guard !search.isDone else { return [] }
        var lines: [TaskLine] = []
        var budget = budget
        let start = search.looked
        let begin = search.place.flatMap { place in sections.firstIndex { $0 == place.section } }
        for section in sections[(begin ?? 0)...] {
            var key = search.place?.section == section ? search.place?.key : nil
            while true {
                guard budget > 0, search.found.count < wanted else {
                    search.place = ListPlace(section, key: key)
                    return lines
                }
                // Where many match few are looked at; the lines of all that is found are made.
                let step = min(Self.step, max(wanted, search.looked - start))
                var query = TaskQuery(
                    queue: queue.name, state: section.state, limit: min(budget, step))
                query.after = key
                let page = try reading.store.page(query, holding: text)
                let found = try matching(page.tasks)
                lines += found
                search.found += found.map(\.task.id)
                search.looked += page.looked
                budget -= page.looked
                guard page.looked == query.limit, let last = page.last else { break }
                key = last
            }
        }
        search.isDone = true
        return lines
    }

}
