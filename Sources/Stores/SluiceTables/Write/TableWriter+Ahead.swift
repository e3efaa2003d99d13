package import SluiceModel
import SluiceStore

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
        try expect(expected.tasks, questions)
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
