package import SluiceModel
import SluiceStore

/// Selections that were read when a commit began, kept equal to the tables while the commit changes
/// tasks.
///
/// `TaskSelection.includes` and `key` decide, as they do for the store in memory, so that a later
/// question about one of them needs no round trip.
struct TasksAhead {
    fileprivate struct Answer {
        var selection: TaskSelection
        var tasks: [QueueTask]
        /// Whether `tasks` has every task of the selection, not only the first.
        var isWhole: Bool
    }

    private var answers: [Answer] = []

    /// Keeps the first tasks of a selection, read with a limit.
    mutating func keep(_ tasks: [QueueTask], of page: ExpectedReads.Page) {
        answers.append(
            Answer(
                selection: page.selection, tasks: tasks, isWhole: tasks.count < page.limit))
    }

    /// Whether there are no cached results.
    var isEmpty: Bool { answers.isEmpty }

    /// Forgets all answers: what follows changes more than single tasks.
    mutating func forget() { answers.removeAll(keepingCapacity: true) }

    /// The first tasks of a selection; nil if they are not known.
    func tasks(_ selection: TaskSelection, limit: Int) -> [QueueTask]? {
        if answers.isEmpty { return nil }
        let wanted = selection.unlimited
        for answer in answers {
            if let found = answer.first(limit, of: wanted) { return found }
        }
        return nil
    }

    /// Applies the change of a task; `new` is `nil` after a removal.
    mutating func change(
        _ id: TaskID, to new: QueueTask?, _ settings: () throws -> QueueSettings
    ) rethrows {
        for place in answers.indices {
            try answers[place].change(id, to: new, settings)
        }
    }
}

extension TasksAhead.Answer {
    func first(_ limit: Int, of wanted: TaskSelection) -> [QueueTask]? {
        if wanted == selection {
            guard isWhole || limit <= tasks.count else { return nil }
            return Array(tasks.prefix(limit))
        }
        // Tasks that expire are known in the order of their moments, so that any end is a prefix.
        guard case .expiring(let end?) = wanted, selection == .expiring() else { return nil }
        let due = tasks.prefix { $0.expiresAt.map { $0 <= end } ?? false }
        guard isWhole || due.count < tasks.count || limit <= due.count else { return nil }
        return Array(due.prefix(limit))
    }

    mutating func change(
        _ id: TaskID, to new: QueueTask?, _ settings: () throws -> QueueSettings
    ) rethrows {
        tasks.removeAll { $0.id == id }
        guard let new, try selection.includes(new, settings()) else { return }
        let order = try settings().order
        let key = selection.key(of: new, order)
        let place = tasks.firstIndex { key < selection.key(of: $0, order) } ?? tasks.count
        // Other tasks may exist between the last known one and this one.
        guard isWhole || place < tasks.count else { return }
        tasks.insert(new, at: place)
    }
}

/// The reads that the bodies of a commit announced, asked with its beginning.
extension TableWriter {
    /// Prepares the announced reads for the round trip that begins the commit. The caller must
    /// forget the queues cached here before that.
    package func askAhead() throws(QueueError) {
        guard connection.isRemote, let list = settingsCache.list, !expected.isEmpty else { return }
        aheadNumber = list.number
        expected.keepPages { page in
            page.selection.queue.map { list.entries[$0] != nil } ?? true
        }
        var questions: [TableConnection.Question] = []
        for page in expected.pages {
            questions += try self.questions(page.selection, limit: page.limit)
        }
        questions += expected.runners.map(leaseQuestion)
        if expected.hasInbox { questions += inboxQuestions(of: list) }
        try expect(expected.tasks, questions)
    }

    /// The reads of an intake of tasks for the queues of the expected pages.
    func inboxQuestions(of list: QueueList) -> [TableConnection.Question] {
        let queues = Set(expected.pages.compactMap { $0.selection.queue })
        let positions = queues.compactMap { list.entries[$0]?.entry.id }.map { id in
            (LastPositions.one, { (row: any BoundStatement) in row.bind(id) })
        }
        return [rowsQuestion(limit: Self.inboxSlice)] + positions
    }

    /// Takes the answers, once the commit has begun.
    func readPrefetched() throws(QueueError) {
        let (reads, number) = (expected, aheadNumber)
        (expected, aheadNumber) = (ExpectedReads(), nil)
        guard let number else { return }
        do {
            _ = try tasks(reads.tasks)
            // If queues changed, the queries read other rows.
            guard try connection.configuration() == number else { return }
            for page in reads.pages {
                ahead.keep(try tasks(page.selection, limit: page.limit), of: page)
            }
        } catch {
            throw error as? QueueError ?? .damagedRow("a task")
        }
    }

    /// Follows a change or removal of a task.
    func followAhead(_ id: TaskID, to task: QueueTask?) throws {
        guard !ahead.isEmpty else { return }
        try ahead.change(id, to: task) {
            try task.flatMap { try entry($0.queue) }?.record.settings ?? QueueSettings()
        }
    }
}

extension TaskSelection {
    /// Its queue, if any.
    fileprivate var queue: String? {
        switch self {
        case .page(let query): query.queue
        case .ended(let queue, _, _), .fresh(let queue, _, _): queue
        case .timers(let queue, _, _): queue
        case .holdingStarts(let queue, _, _, _), .waitingMembers(let queue, _, _, _): queue
        case .uniqueHolders(let queue, _, _), .keyUses(let queue, _, _): queue
        case .arrived(let queue, _), .arrivedBefore(let queue, _): queue
        case .numbered, .newest, .expiring, .running, .lingering, .followUps, .awaited: nil
        }
    }
}
