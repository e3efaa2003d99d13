import SluiceControl
import SluiceModel
import SluiceStore

/// View 4: the newest lines of the log, filtered if requested.
extension SceneLoader {
    /// How many lines it shows.
    static let activityLimit = 300
    /// The number of newest lines to filter. With undo data the limit is lower, because verbs on
    /// several tasks carry large undo data.
    private static func searchLimit(_ filter: LogFilter) -> Int { filter.withUndo ? 1000 : 5000 }

    func loadActivity(
        of queue: String?, _ request: LoadRequest, _ scene: inout LoadedScene
    ) throws {
        guard let filter = request.log else {
            scene.activity = try activity(
                of: queue, isClose: request.isClose, limit: Self.activityLimit)
            return
        }
        let limit = Self.searchLimit(filter)
        let lines = try activity(
            of: queue, isClose: request.isClose, limit: limit, withUndo: filter.withUndo)
        if lines.count >= limit { scene.activityLooked = lines.count }
        scene.activity = lines.filter { filter.includes($0.entry) }.suffix(Self.activityLimit)
    }

    private func activity(
        of queue: String?, isClose: Bool, limit: Int, withUndo: Bool = false
    ) throws -> [LogLine] {
        if isClose {
            return try reading.log(
                limit: limit, of: queue, isClose: true, withUndo: withUndo
            ).lines
        }
        var query = JournalQuery(limit: limit, withUndo: withUndo)
        query.queue = queue
        return try reading.store.journal(query).map { LogLine(.journal($0)) }
    }
}

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

/// View 2: the first groups of a queue, with the first members of expanded ones.
extension SceneLoader {
    func loadGroups(
        _ queue: QueueRecord, _ request: LoadRequest, _ scene: inout LoadedScene
    ) throws {
        let store = reading.store
        let found = try store.groups(
            queue: queue.name, after: nil, limit: Self.groupLimit + 1)
        scene.hasMoreGroups = found.count > Self.groupLimit
        scene.groups = try found.prefix(Self.groupLimit).map { summary in
            var group = GroupLine(summary)
            let starts = try store.tasks(Array(summary.starts.prefix(1)))
            group.start = try reading.lines(starts, of: queue).first
            if let start = group.start { group.held = try reading.heldBack(by: start.task) }
            return group
        }
        scene.nestGroups()
        scene.unfoldGroups(
            request.folds, rows: request.rows.height, limit: Self.memberLimit)
        for index in scene.groups.indices where scene.groups[index].isOpen == true {
            let name = scene.groups[index].summary.name
            let nested = scene.groups.filter { $0.parent == name }.compactMap(\.start?.task)
            try readMembers(of: &scene.groups[index], queue, nested)
        }
    }

    /// The first members, and the members that start a group nested in this one.
    private func readMembers(
        of group: inout GroupLine, _ queue: QueueRecord, _ nested: [QueueTask]
    ) throws {
        let first = try reading.store.tasks(
            .waitingMembers(queue: queue.name, group: group.summary.name, after: .min),
            limit: Self.memberLimit)
        let read = Set(first.map(\.id))
        var tasks = first + nested.filter { !read.contains($0.id) }
        tasks.sort { $0.position < $1.position }
        group.members = try reading.lines(tasks, of: queue).map { member in
            MemberLine(line: member, holds: try reading.heldBack(by: member.task))
        }
        guard first.count >= Self.memberLimit else { return }
        group.rest = max(0, group.summary.members - tasks.count)
    }
}

extension SceneLoader {
    /// Reads the timeline on top; without its queue, run or task the scene says why.
    func loadTimeline(_ scope: TaskTimeline.Scope, _ scene: inout LoadedScene) throws {
        do {
            scene.taskTimeline = try reading.taskTimeline(scope, seen: seen)
        } catch let error as QueueError where error.isAboutTheQuestion {
            scene.timelineTrouble = error.message
        }
    }
}

extension QueueError {
    /// Whether the requested task or queue is missing, so the store itself has no trouble.
    fileprivate var isAboutTheQuestion: Bool {
        [.unknownQueue, .unknownTask, .notLegal].contains(code)
    }
}
