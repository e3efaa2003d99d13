import SluiceControl
import SluiceModel
import SluiceStore

/// Reads a part of the list of all queues: by number, filtered or not, in either direction.
final class AllReader {
    let reading: Reading
    let filter: TaskFilter?
    let sections: [ListSection]
    let states: Set<TaskState.Name>
    let hands: SearchWorkers
    /// The number of tasks that one read examines if a filter finds little: first by number, then
    /// by indexes.
    var searchBudget = (first: 10_000, further: 100_000)
    /// The maximum number of kept matches. With more, a search by number finds enough.
    var hitLimit = 10_000
    private var records: [String: QueueRecord] = [:]
    private var parts: [String: FilteredQueue] = [:]
    private static let chunk = 1000

    init(
        _ reading: Reading, filter: TaskFilter?, withEnded: Bool = false,
        hands: SearchWorkers = .one
    ) throws {
        self.reading = reading
        self.hands = hands
        self.filter = try reading.ready(filter)
        sections = PageReader.sections(filter, withEnded: withEnded)
        states = Set(sections.map(\.state))
    }

    /// The part that a request asks for.
    func page(_ request: RowsRequest) throws -> TaskPage {
        var page = try rows(request)
        page.settings = settings
        return page
    }

    /// The settings of the loaded tasks' queues.
    var settings: [String: QueueSettings] { records.mapValues(\.settings) }

    private func rows(_ request: RowsRequest) throws -> TaskPage {
        if let ids = filter?.ids(atMost: FilteredQueue.namedLimit) {
            let tasks = try reading.store.tasks(ids).sorted { $0.id < $1.id }
            return following(request, TaskPage(rows: try lines(matching(tasks))))
        }
        if let search = request.search, !search.isTooMuch { return try searchPage(request) }
        var page = try pageByNumber(request)
        page.search = request.search
        guard filter != nil, page.isCut, request.search == nil else { return page }
        return try searchPage(request)
    }

    /// The page with the row of the task to follow, if that is there.
    func following(_ request: RowsRequest, _ page: TaskPage) -> TaskPage {
        var page = page
        let index = request.follow.flatMap { id in page.rows.firstIndex { $0.task.id == id } }
        page.isFollowed = index != nil
        page.anchorIndex = index ?? (request.anchor == .end ? max(0, page.rows.count - 1) : 0)
        return page
    }

    private func pageByNumber(_ request: RowsRequest) throws -> TaskPage {
        let height = request.height
        let start: TaskID?
        switch request.anchor {
        case .number(let number): start = number
        case .start, .end, .around: start = nil
        }
        let wanted = try PageReader.target(of: request, in: reading.store)
        if let wanted, let task = try reading.store.task(wanted), try !matching([task]).isEmpty {
            let page = try page(around: wanted, height)
            // At the beginning the list stays as it is while the cursor can be seen.
            guard request.anchor == .start, page.reachesStart, page.anchorIndex < 2 * height
            else { return page }
            return following(request, try startPage(3 * height))
        }
        if let start { return try page(around: start, height) }
        guard request.anchor == .end else { return try startPage(3 * height) }
        let found = try find(from: nil, isBackwards: true, limit: 3 * height)
        var page = TaskPage(rows: try lines(found.tasks.reversed()))
        (page.reachesStart, page.isCut) = (found.isWhole, found.isCut)
        page.anchorIndex = max(0, page.rows.count - 1)
        return page
    }

    private func startPage(_ limit: Int) throws -> TaskPage {
        let found = try find(from: nil, isBackwards: false, limit: limit)
        var page = TaskPage(rows: try lines(found.tasks))
        (page.reachesEnd, page.isCut) = (found.isWhole, found.isCut)
        return page
    }

    private func page(around number: TaskID, _ height: Int) throws -> TaskPage {
        let before = try find(from: number, isBackwards: true, limit: 2 * height)
        let behind = try find(from: number &- 1, isBackwards: false, limit: 2 * height + 1)
        let tasks = before.tasks.reversed() + behind.tasks
        var page = TaskPage(rows: try lines(Array(tasks)))
        (page.reachesStart, page.reachesEnd) = (before.isWhole, behind.isWhole)
        page.isCut = before.isCut || behind.isCut
        page.anchorIndex = min(before.tasks.count, max(0, page.rows.count - 1))
        page.isFollowed = behind.tasks.first?.id == number
        return page
    }

    private struct Found {
        var tasks: [QueueTask] = []
        var isWhole = false
        var isCut = false
    }

    /// The next matches by number. A filter examines a limited number of tasks.
    private func find(from number: TaskID?, isBackwards: Bool, limit: Int) throws -> Found {
        var found = Found()
        var place = number
        var looked = 0
        while true {
            let wanted = limit - found.tasks.count
            let count = filter == nil ? wanted : min(Self.chunk, max(wanted, looked))
            let selection: TaskSelection =
                isBackwards
                ? .newest(before: place, in: states)
                : .numbered(after: place ?? .min, in: states)
            let tasks = try reading.store.tasks(selection, limit: count)
            found.tasks += try matching(tasks).prefix(wanted)
            looked += tasks.count
            if found.tasks.count >= limit { return found }
            guard tasks.count == count, let last = tasks.last else {
                found.isWhole = true
                return found
            }
            guard looked < searchBudget.first else {
                found.isCut = true
                return found
            }
            place = last.id
        }
    }

    /// The matching tasks, in the given order.
    func matching(_ tasks: [QueueTask]) throws -> [QueueTask] {
        let listed = tasks.filter { states.contains($0.state.name) }
        guard filter != nil, !listed.isEmpty else { return listed }
        var matches: Set<TaskID> = []
        for (name, tasks) in Dictionary(grouping: listed, by: \.queue) {
            matches.formUnion(try part(of: record(name)).matching(tasks).map(\.id))
        }
        return listed.filter { matches.contains($0.id) }
    }

    /// The tasks of one queue that match.
    func part(of queue: QueueRecord) -> FilteredQueue {
        if let known = parts[queue.name] { return known }
        let part = FilteredQueue(reading, queue, filter)
        parts[queue.name] = part
        return part
    }

    private func record(_ name: String) throws -> QueueRecord {
        if let known = records[name] { return known }
        let record = try reading.store.requireQueue(name)
        records[name] = record
        return record
    }

    /// The tasks as lines, each as its queue shows it.
    func lines(_ tasks: [QueueTask]) throws -> [TaskLine] {
        var found: [TaskID: TaskLine] = [:]
        for (name, tasks) in Dictionary(grouping: tasks, by: \.queue) {
            for line in try reading.lines(tasks, of: record(name), withBlockers: true) {
                found[line.task.id] = line
            }
        }
        return tasks.compactMap { found[$0.id] }
    }
}

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
