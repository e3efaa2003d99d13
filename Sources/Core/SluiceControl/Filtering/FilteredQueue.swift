package import SluiceModel
package import SluiceStore

/// A queue's tasks that match a filter. The engine narrows them by its indexes, and the filter then
/// tests each task.
package final class FilteredQueue {
    /// The number of tasks per query.
    private static let page = 1000
    /// Tasks that an index names by themselves are kept and put in order up to here; where there
    /// are more, the order of the queue finds enough of them soon.
    private static let fewLimit = 10_000
    /// Numbers that a filter names are looked up one by one up to here.
    package static let namedLimit = 2000

    private let reading: Reading
    private let queue: QueueRecord
    private let filter: TaskFilter?
    private let names: FilterNames
    private var shown: ShownQueue?
    private var payloads: [TaskID: [UInt8]] = [:]
    private let twins: TwinFinder
    private var few: [TaskState.Name: [QueueTask]?] = [:]
    private var knownFlagSets: [WaitFlags]??

    /// The tasks of a queue; the filter is one that can be asked (`Reading.ready`).
    package init(_ reading: Reading, _ queue: QueueRecord, _ filter: TaskFilter?) {
        self.reading = reading
        self.queue = queue
        self.filter = filter
        names = FilterNames(filter)
        twins = TwinFinder(reading.store)
    }

    package func matches(_ task: QueueTask) throws -> Bool {
        guard let filter else { return true }
        return try filter.matches(task, Facts(task: task, queue: self))
    }

    package func matching(_ tasks: [QueueTask]) throws -> [QueueTask] {
        guard let filter else { return tasks }
        // Batches the payload queries if payloads need a query.
        guard filter.asksPayload, reading.store.rowSearch == nil else {
            return try tasks.filter(matches)
        }
        var found: [QueueTask] = []
        var rest = tasks[...]
        while !rest.isEmpty {
            let part = rest.prefix(Self.payloadsAtOnce)
            payloads = try reading.store.payloads(of: part.map(\.id))
            found += try part.filter(matches)
            rest = rest.dropFirst(Self.payloadsAtOnce)
        }
        payloads = [:]
        return found
    }

    private static let payloadsAtOnce = 100

    /// Passes matches in some sections to `body`, in the running order after `place`, until it
    /// returns `.stop`.
    package func each(
        in sections: [ListSection], behind place: ListPlace? = nil,
        _ take: (QueueTask) throws -> BulkNext
    ) throws {
        let start = place.flatMap { place in sections.firstIndex { $0 == place.section } } ?? 0
        var looked = 0
        for index in sections.indices where index >= start {
            var query = TaskQuery(
                queue: queue.name, state: sections[index].state, limit: Self.page)
            query.after = index == start ? place?.key : nil
            while true {
                let page = try page(query)
                for task in try matching(page.tasks) where try take(task) == .stop { return }
                guard let last = page.last, page.looked == query.limit else { break }
                query.after = last
                looked += page.looked
                guard looked == Self.lookedInOrder else { continue }
                // Matches are rare: search the remaining rows in storage order.
                let place = ListPlace(sections[index], key: last)
                guard let rest = try rest(of: sections, behind: place) else { continue }
                for task in rest where try take(task) == .stop { return }
                return
            }
        }
    }

    /// The number of tasks to search in the running order before a search in storage order.
    private static let lookedInOrder = 10_000

    /// The number of rows per query in storage order. Bounds the pages that an engine caches for
    /// one query.
    private static let rowsAtOnce = 20_000

    /// A condition that the row of every match satisfies. `nil` if an index narrows the filter,
    /// because a scan is then slower.
    package var rowCondition: RowCondition? {
        guard let filter, !names.isNarrow, filter.ids(atMost: Self.namedLimit) == nil else {
            return nil
        }
        return filter.rowCondition
    }

    /// The matches after a place, by a scan in storage order. `nil` if there are many, or if the
    /// queue's order is faster.
    private func rest(
        of sections: [ListSection], behind place: ListPlace
    ) throws -> [QueueTask]? {
        guard let condition = rowCondition,
            let numbers = try reading.store.rowNumbers(ofSearchIn: queue.name)
        else { return nil }
        var search = RowSearch(
            queue: queue.name, states: Set(sections.map(\.state)), condition: condition,
            numbers: numbers, limit: Self.rowsAtOnce, hitLimit: Self.fewLimit + 1)
        var ids: [TaskID] = []
        while true {
            let finding = try reading.store.look(search)
            ids += finding.found
            guard ids.count <= Self.fewLimit else { return nil }
            guard let last = finding.last, last < numbers.upperBound else { break }
            search.numbers = last + 1...numbers.upperBound
        }
        let order = queue.settings.order
        let found = try matching(try reading.store.tasks(ids)).map {
            (place: ListPlace($0, order: order), task: $0)
        }
        return found.filter { place.isBefore($0.place) }
            .sorted { $0.place.isBefore($1.place) }.map(\.task)
    }

    /// A page of candidates in a state. Its progress also counts rows that cannot match.
    package func page(_ query: TaskQuery) throws -> SearchPage {
        let order = queue.settings.order
        guard let filter else {
            return SearchPage(try reading.store.tasks(matching: query), order: order)
        }
        if let few = try few(query.state, filter) {
            let ordered = query.isBackwards ? few.reversed() : few
            let rest = ordered.lazy.filter { task in
                guard let after = query.after else { return true }
                let key = task.orderKey(order)
                return query.isBackwards ? key < after : key > after
            }
            return SearchPage(Array(rest.prefix(query.limit)), order: order)
        }
        var narrowed = query
        names.narrow(&narrowed)
        if query.state == .waiting, let flagSets = try flagSets(filter) {
            return SearchPage(try tasks(narrowed, in: flagSets), order: order)
        }
        return try reading.store.page(narrowed, holding: filter.text)
    }

    /// A page of several sets of wait flags: their pages merged in the order.
    private func tasks(_ query: TaskQuery, in flagSets: [WaitFlags]) throws -> [QueueTask] {
        let found = try flagSets.flatMap { waitFlags -> [QueueTask] in
            var query = query
            query.waitFlags = waitFlags
            return try reading.store.tasks(matching: query)
        }
        guard flagSets.count > 1 else { return found }
        let keyed = found.map { ($0.orderKey(queue.settings.order), $0) }
        let sorted = keyed.sorted { query.isBackwards ? $1.0 < $0.0 : $0.0 < $1.0 }
        return sorted.prefix(query.limit).map(\.1)
    }

    /// The wait flags that waiting matches have; nil for all.
    private func flagSets(_ filter: TaskFilter) throws -> [WaitFlags]? {
        if let knownFlagSets { return knownFlagSets }
        let shown = filter.displays
        var flagSets: [WaitFlags]?
        // The index of ready tasks finds a rare type quickly.
        if shown.map({ !$0.contains(.blocked) }) ?? names.hasTypes {
            let counts = try reading.store.counts(queue: queue.name)
            let isFollowing = !queue.wakes.isEmpty
            flagSets = counts.waitingByFlags.filter { $0.value > 0 }.keys.filter { waitFlags in
                shown?.contains { $0.mayShow(in: waitFlags, isFollowing: isFollowing) } ?? true
            }
        }
        knownFlagSets = .some(flagSets)
        return flagSets
    }

    /// The tasks of a state among which all its matches are, where an index names them by
    /// themselves; in the queue's order.
    private func few(
        _ state: TaskState.Name, _ filter: TaskFilter
    ) throws -> [QueueTask]? {
        if let known = few[state] { return known }
        let found = try found(state, filter)?.filter {
            $0.queue == queue.name && $0.state.name == state
        }
        let order = queue.settings.order
        let sorted = found?.map { ($0.orderKey(order), $0) }.sorted { $0.0 < $1.0 }.map(\.1)
        few[state] = .some(sorted)
        return sorted
    }

    private func found(
        _ state: TaskState.Name, _ filter: TaskFilter
    ) throws -> [QueueTask]? {
        let store = reading.store
        if let ids = filter.ids(atMost: Self.namedLimit) { return try store.tasks(ids) }
        let isLive = state == .waiting || state == .running
        if isLive, let session = names.session {
            return try fewest {
                try store.tasks(.awaited(session: session, state: state, after: 0), limit: $0)
            }
        }
        let shows = filter.displays?.contains { $0.isWaiting } ?? true
        if state == .waiting, !shows {
            // A waiting task that shows another state has expired (Q8).
            return try fewest { try store.tasks(.expiring(through: reading.now), limit: $0) }
        }
        return nil
    }

    private func fewest(_ ask: (Int) throws -> [QueueTask]) rethrows -> [QueueTask]? {
        let tasks = try ask(Self.fewLimit + 1)
        return tasks.count > Self.fewLimit ? nil : tasks
    }
}

extension FilteredQueue {
    /// The facts of one task for the filter.
    private struct Facts: FilterFacts {
        let task: QueueTask
        let queue: FilteredQueue

        var now: Timestamp { queue.reading.now }
        var real: Timestamp { queue.reading.real }

        func display() throws -> Display {
            switch task.state {
            case .succeeded: return .succeeded
            case .failed: return .failed
            case .deleted: return .deleted
            case .waiting, .running: break
            }
            let shown = try queue.shown ?? ShownQueue(queue.reading, queue.queue)
            queue.shown = shown
            return try shown.display(of: task)
        }

        func payload() throws -> [UInt8] {
            if let known = queue.payloads[task.id] { return known }
            return try queue.reading.store.payload(of: task.id) ?? []
        }

        func lastAttempt() throws -> AttemptRecord? {
            try queue.reading.store.attempts(of: task.id).last
        }

        func uuid() throws -> String? { try queue.reading.store.naming?.uuid(of: task.id) }

        func twins() throws -> [TaskID] { try queue.twins.twins(of: task) }
    }
}
