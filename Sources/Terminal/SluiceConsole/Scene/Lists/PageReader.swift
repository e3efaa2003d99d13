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
