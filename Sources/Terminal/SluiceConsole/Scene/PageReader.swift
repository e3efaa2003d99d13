import SluiceControl
import SluiceModel
import SluiceStore

/// Reads a part of a queue's list, filtered or not, from a place in either direction.
struct PageReader {
    let reading: Reading
    let queue: QueueRecord
    let filter: TaskFilter?
    let sections: [ListSection]
    /// What one read looks through of payloads, at first and then: the first hits are shown at
    /// once, and no read holds up the next key for long.
    var searchBudget = (first: 10_000, further: 100_000)
    /// A row's place is counted from either end of its part of the list, and no further (K6).
    var countLimit = 10_000
    private(set) var hands: SearchWorkers
    /// The lanes in which waiting matches lie; nil for every lane.
    private let lanes: [Lane]?

    /// A search for matches looks at no more tasks than this at once.
    static let scanLimit = 20_000
    private static let chunk = 500

    init(
        _ reading: Reading, queue: QueueRecord, filter: TaskFilter?, hands: SearchWorkers = .one
    ) throws {
        self.reading = reading
        self.hands = hands
        self.queue = queue
        self.filter = try reading.ready(filter)
        sections = Self.sections(filter)
        let bits = filter?.waitingBits
        guard bits != nil || filter?.hasType == true else {
            lanes = nil
            return
        }
        // A type that is rare is found at once in the index of what is ready.
        let counts = try reading.store.counts(queue: queue.name)
        lanes = counts.lanes.filter { $0.value > 0 }.keys.filter { lane in
            bits.map { $0.contains { lane.isSuperset(of: $0) } } ?? true
        }
    }

    /// Running, waiting and failed tasks, unless the filter asks for states.
    static func sections(_ filter: TaskFilter?) -> [ListSection] {
        guard let filter, filter.words.contains(where: { $0.asksState }) else {
            return [.running, .waiting, .failed]
        }
        return ListSection.allCases.filter { filter.storedStates.contains($0.state) }
    }

    /// What was found in one direction.
    struct Found {
        var lines: [TaskLine] = []
        var reachedEnd = false
        var isCut = false
    }

    /// The part that a request asks for.
    func page(_ request: RowsRequest) throws -> TaskPage {
        if let page = try namedPage(request) { return page }
        if let text = filter?.text { return try searchPage(request, for: text) }
        if let id = try target(of: request), let task = try reading.store.task(id),
            let line = try matching([task]).first
        {
            if request.anchor == .start, let page = try startPage(request, containing: id) {
                return page
            }
            return try page(around: ListPlace(task, order: queue.settings.order), line, request)
        }
        switch request.anchor {
        case .start: return try startPage(request, containing: nil) ?? TaskPage()
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
        guard let lines = try named() else { return nil }
        var page = TaskPage(rows: lines)
        let index = request.follow.flatMap { id in lines.firstIndex { $0.task.id == id } }
        page.isFollowed = index != nil
        page.anchorIndex = index ?? (request.anchor == .end ? max(0, lines.count - 1) : 0)
        return page
    }

    private func named() throws -> [TaskLine]? {
        guard let ids = filter?.ids(atMost: Reading.namedLimit) else { return nil }
        let order = queue.settings.order
        return try matching(try reading.store.tasks(ids)).sorted { left, right in
            let (first, second) = (
                ListPlace(left.task, order: order), ListPlace(right.task, order: order)
            )
            guard first.section == second.section else {
                return first.section.rawValue < second.section.rawValue
            }
            return left.task.orderKey(order) < right.task.orderKey(order)
        }
    }

    private func target(of request: RowsRequest) throws -> TaskID? {
        guard let start = request.linkFrom, let task = try reading.store.task(start),
            let group = task.groupStart
        else { return request.follow }
        return try reading.store.tasks(
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
                // Most filters find at once what they look for; the others look on in larger steps.
                var query = TaskQuery(
                    queue: queue.name, state: ordered[index].state,
                    limit: filter == nil ? wanted : min(Self.chunk, max(wanted, scanned)))
                query.isBackwards = backwards
                query.after = after
                filter?.narrow(&query)
                let tasks = try tasks(query)
                scanned += tasks.count
                found.lines += try matching(tasks).prefix(max(0, wanted))
                if found.lines.count >= limit { return finished(found, backwards) }
                guard let last = tasks.last, tasks.count == query.limit else { break }
                if scanned >= Self.scanLimit {
                    found.isCut = true
                    return finished(found, backwards)
                }
                after = last.orderKey(queue.settings.order)
            }
        }
        found.reachedEnd = true
        return finished(found, backwards)
    }

    /// A page of a query; of several lanes their pages merged in the order.
    private func tasks(_ query: TaskQuery) throws -> [QueueTask] {
        guard query.state == .waiting, let lanes else {
            return try reading.store.tasks(matching: query)
        }
        let found = try lanes.flatMap { lane -> [QueueTask] in
            var query = query
            query.lane = lane
            return try reading.store.tasks(matching: query)
        }
        let keyed = found.map { ($0.orderKey(queue.settings.order), $0) }
        let sorted = keyed.sorted { query.isBackwards ? $1.0 < $0.0 : $0.0 < $1.0 }
        return sorted.prefix(query.limit).map(\.1)
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
        guard !wanted.isEmpty else { return [] }
        let lines = try reading.lines(wanted, of: queue, withBlockers: true)
        guard let filter else { return lines }
        return try lines.filter { try reading.matches($0, filter) }
    }
}

extension TaskFilter {
    /// Whether every match is of one type.
    fileprivate var hasType: Bool {
        words.contains { word in
            if case .type = word.term { !word.isNegated } else { false }
        }
    }

    /// The lanes that a waiting match must have one of; nil where any may do.
    fileprivate var waitingBits: [Lane]? {
        for word in words where !word.isNegated {
            guard case .state(let states) = word.term else { continue }
            let bits = states.compactMap(\.waitingBits)
            return bits.count == states.count ? bits : nil
        }
        return nil
    }
}

extension TaskFilter.State {
    /// The lane that a waiting task of this state must have at least.
    fileprivate var waitingBits: Lane? {
        switch self {
        case .parked: .parked
        case .skipped: .skipped
        case .retrying: .retrying
        case .delayed: .delayed
        case .heldByGroup: .held
        default: nil
        }
    }
}

extension TaskFilter.Word {
    /// Whether the word chooses states, so that finished and deleted tasks may be shown.
    fileprivate var asksState: Bool {
        if case .state = term { return !isNegated }
        return false
    }
}
