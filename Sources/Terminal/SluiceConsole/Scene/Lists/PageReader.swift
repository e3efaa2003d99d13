import SluiceControl
import SluiceModel
import SluiceStore

/// Reads a part of a queue's list, filtered or not, from a place in either direction.
struct PageReader {
    let reading: Reading
    let queue: QueueRecord
    let filter: TaskFilter?
    let sections: [ListSection]
    /// The number of payloads that one read examines, first and later. A small first budget shows
    /// the first hits early, and no read delays the next key.
    var searchBudget = (first: 10_000, further: 100_000)
    /// A row's place is counted from either end of its part of the list, and no further (K6).
    var countLimit = 10_000
    private(set) var hands: SearchWorkers
    let filtered: FilteredQueue

    /// The maximum number of tasks that one search for matches examines.
    static let scanLimit = 20_000
    private static let chunk = 500

    init(
        _ reading: Reading, queue: QueueRecord, filter: TaskFilter?, withEnded: Bool = false,
        hands: SearchWorkers = .one
    ) throws {
        self.reading = reading
        self.hands = hands
        self.queue = queue
        self.filter = try reading.ready(filter)
        sections = Self.sections(filter, withEnded: withEnded)
        filtered = FilteredQueue(reading, queue, self.filter)
    }

    /// The sections: running, waiting and failed tasks, and ended ones if listed. A filter on
    /// states overrides this.
    static func sections(_ filter: TaskFilter?, withEnded: Bool) -> [ListSection] {
        let usual: Set<TaskState.Name> =
            withEnded ? Set(TaskState.Name.allCases) : [.running, .waiting, .failed]
        let states = filter?.states(usually: usual) ?? usual
        return ListSection.allCases.filter { states.contains($0.state) }
    }

    /// The matches in one direction.
    struct Found {
        var lines: [TaskLine] = []
        var reachedEnd = false
        var isCut = false
    }

    /// The part that a request asks for.
    func page(_ request: RowsRequest) throws -> TaskPage {
        if let page = try namedPage(request) { return page }
        if filter?.isRare ?? false { return try searchPage(request) }
        if let id = try Self.target(of: request, in: reading.store),
            let task = try reading.store.task(id),
            let line = try matching([task]).first
        {
            if request.anchor == .start, let page = try startPage(request, containing: id) {
                return page
            }
            let place = ListPlace(task, order: queue.settings.order)
            if !request.stays || request.anchor == .around(place) {
                return try page(around: place, line, request)
            }
        }
        switch request.anchor {
        case .start, .number: return try startPage(request, containing: nil) ?? TaskPage()
        case .end: return try endPage(request)
        case .around(let place):
            guard sections.contains(place.section) else {
                return try startPage(request, containing: nil) ?? TaskPage()
            }
            return try page(around: place, nil, request)
        }
    }

    /// The whole list, where the filter names its tasks by few numbers.
    private func namedPage(_ request: RowsRequest) throws -> TaskPage? {
        guard filter?.ids(atMost: FilteredQueue.namedLimit) != nil else { return nil }
        var tasks: [QueueTask] = []
        try filtered.each(in: sections) { task in
            tasks.append(task)
            return .goOn
        }
        var page = TaskPage(rows: try lines(tasks))
        let index = request.follow.flatMap { id in page.rows.firstIndex { $0.task.id == id } }
        page.isFollowed = index != nil
        page.anchorIndex = index ?? (request.anchor == .end ? max(0, page.rows.count - 1) : 0)
        return page
    }

    /// The task to go to: the one to follow, or the first that a start holds.
    static func target(of request: RowsRequest, in store: any StoreReader) throws -> TaskID? {
        guard let start = request.linkFrom, let task = try store.task(start),
            let group = task.groupStart
        else { return request.follow }
        return try store.tasks(
            .waitingMembers(queue: task.queue, group: group, after: task.position), limit: 1
        ).first?.id ?? request.follow
    }

    private func startPage(_ request: RowsRequest, containing id: TaskID?) throws -> TaskPage? {
        let found = try find(from: nil, backwards: false, limit: 3 * request.height)
        var page = TaskPage(rows: found.lines, reachesStart: true, reachesEnd: found.reachedEnd)
        page.isCut = found.isCut
        if let id {
            guard let index = found.lines.firstIndex(where: { $0.task.id == id }) else {
                return nil
            }
            page.anchorIndex = index
            page.isFollowed = true
        }
        return page
    }

    private func endPage(_ request: RowsRequest) throws -> TaskPage {
        let found = try find(from: nil, backwards: true, limit: 3 * request.height)
        var page = TaskPage(rows: found.lines, reachesStart: found.reachedEnd, reachesEnd: true)
        page.isCut = found.isCut
        page.anchorIndex = max(0, found.lines.count - 1)
        return page
    }

    private func page(
        around place: ListPlace, _ line: TaskLine?, _ request: RowsRequest
    ) throws -> TaskPage {
        let before = try find(from: place, backwards: true, limit: 2 * request.height)
        let after = try find(from: place, backwards: false, limit: 2 * request.height)
        var page = TaskPage(rows: before.lines + (line.map { [$0] } ?? []) + after.lines)
        page.reachesStart = before.reachedEnd
        page.reachesEnd = after.reachedEnd
        page.isCut = before.isCut || after.isCut
        page.anchorIndex = min(before.lines.count, max(0, page.rows.count - 1))
        page.isFollowed = line != nil
        return page
    }

    private func find(from place: ListPlace?, backwards: Bool, limit: Int) throws -> Found {
        let ordered = backwards ? Array(sections.reversed()) : sections
        let start = place.flatMap { place in ordered.firstIndex { $0 == place.section } } ?? 0
        var found = Found()
        var scanned = 0
        for index in ordered.indices where index >= start {
            var after = index == start ? place?.key : nil
            while true {
                let wanted = limit - found.lines.count
                // Most filters match quickly. Otherwise use larger steps.
                var query = TaskQuery(
                    queue: queue.name, state: ordered[index].state,
                    limit: filter == nil ? wanted : min(Self.chunk, max(wanted, scanned)))
                query.isBackwards = backwards
                query.after = after
                let page = try filtered.page(query)
                scanned += page.looked
                let matches = try filtered.matching(page.tasks).prefix(max(0, wanted))
                found.lines += try lines(Array(matches))
                if found.lines.count >= limit { return finished(found, backwards) }
                guard let last = page.last, page.looked == query.limit else { break }
                if scanned >= Self.scanLimit {
                    found.isCut = true
                    return finished(found, backwards)
                }
                after = last
            }
        }
        found.reachedEnd = true
        return finished(found, backwards)
    }

    private func finished(_ found: Found, _ backwards: Bool) -> Found {
        var found = found
        if backwards { found.lines.reverse() }
        return found
    }

    func matching(_ tasks: [QueueTask]) throws -> [TaskLine] {
        let wanted = tasks.filter { task in
            task.queue == queue.name && sections.contains { $0.state == task.state.name }
        }
        return try lines(try filtered.matching(wanted))
    }

    private func lines(_ tasks: [QueueTask]) throws -> [TaskLine] {
        try reading.lines(tasks, of: queue, withBlockers: true)
    }
}

extension TaskFilter {
    /// Whether a word asks what no index knows, so that few may match of many.
    fileprivate var isRare: Bool {
        expression.terms.contains { term in
            switch term {
            case .letters, .text, .payload, .measure, .expression: true
            case .field(let field, _):
                [.label, .error, .runner, .unique, .id, .stage, .twin].contains(field)
            case .state, .id: false
            }
        }
    }
}

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
