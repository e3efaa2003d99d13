import SluiceModel
import SluiceStore
import Testing

@testable import SluiceSQL

@Suite("How questions are answered")
struct PlanTests {
    /// Small tables read in full, and lists from a caller.
    private static let readWhole = [
        "sluice_store", "sluice_queue", "sluice_process", "sluice_permit", "sluice_offer",
        "y", "json_each",
        "sluice_inbox", "sluice_removed",
        "(subquery-1)", "(subquery-3)", "fresh", "shelf", "found", "CONSTANT ROW",
    ]

    /// Asks and says everything once, so that the connection has every statement.
    private func ask(_ writer: any StoreWriter) throws {
        var generator = Generator(seed: 5)
        var queue = QueueRecord(name: "q", createdAt: at(0))
        try writer.put(queue)
        let ids =
            try writer.insertTasks(3) { $0.groupStart = "g" } + writer.insertTasks(3, payload: [0])
        var skipped = try writer.requireTask(ids[0])
        var waiting = Waiting()
        waiting.attemptedInRun = true
        skipped.state = .waiting(waiting)
        try writer.update([skipped])
        try writer.update([generator.task(ids[1])])
        try writer.setPayload([1], of: ids[2])
        try writer.setResult([1], of: ids[2])
        try writer.putOrigin("x", of: ids[2])
        try writer.clearRunMarks(queue: "q")
        queue.settings.order = .priority
        queue.settings.startsExpire = false
        try writer.put(queue)
        try writer.put([generator.attempt(skipped, 1)])
        let event = JournalEvent(at: at(1), kind: "k", queue: "q", task: 1, by: "a", text: "t")
        try writer.markUndone(try writer.append([event]), by: 7)
        try writer.put(generator.process())
        try writer.put(Permit(id: 1, task: 1, version: 1, queue: "q", issuer: 1, runner: 1))
        try writer.removePermits([1])
        try writer.put(SlotOffer(process: 1, slots: 1, inFlight: 0, priority: 0))
        _ = try writer.slotOffers()
        try writer.removeProcess(1)
        try writer.put(try writer.storeRecord())
        try writer.trimJournal(before: at(-9), keeping: 3, limit: 10)
        try inbox(writer)
        try questions(writer, ids)
        try writer.remove([ids[2]])
        try writer.removeQueue(named: "q")
    }

    private func inbox(_ writer: any StoreWriter) throws {
        let inbox = try #require(writer as? any InboxWriter)
        _ = try inbox.inbox()
        _ = try inbox.hasFreshInbox()
        _ = try inbox.inboxEntries(limit: 9)
        for table in [InboxEntry.Table.inbox, .removed] {
            let entry = InboxEntry(table, row: 1, .removal(1))
            try inbox.refuseInboxRow(entry, "no")
            try inbox.removeInboxRow(entry)
        }
        try inbox.removeRefusedRows(queue: "q", type: "t", key: "k")
        try inbox.reopenInbox()
    }

    private func questions(_ reader: any StoreReader, _ ids: [TaskID]) throws {
        _ = try reader.queues()
        _ = try reader.queues(.inUse([]))
        _ = try reader.queues(.holding([.waiting]))
        _ = try reader.highestPriority()
        _ = try reader.countQueues()
        for queue in try reader.queues(behind: 0, limit: 3) {
            _ = try reader.countQueues(before: queue)
        }
        _ = try reader.queues(.withMoments)
        _ = try reader.counts()
        _ = try reader.tasks(ids)
        _ = try reader.payload(of: ids[0])
        _ = try reader.result(of: ids[0])
        _ = try reader.tasks(.arrived(queue: "q", after: 1), limit: 3)
        _ = try reader.origin(of: ids[0])
        _ = try reader.task(ofOrigin: "x")
        for isBackwards in [false, true] {
            for (waitFlags, group, types) in [
                (nil, nil, nil), (.ready, nil, nil), (.ready, nil, ["mail", "x"]),
                (.held, nil, ["mail"]), (nil, "g", nil),
            ] as [(WaitFlags?, String?, [String]?)] {
                var query = TaskQuery(queue: "q", state: .waiting, limit: 5)
                (query.waitFlags, query.group, query.types) = (waitFlags, group, types)
                query.isBackwards = isBackwards
                _ = try reader.tasks(matching: query)
            }
            var rest = TaskQuery(queue: "q", state: .waiting, limit: 5)
            rest.after = OrderKey(bytes: [1])
            rest.isBackwards = isBackwards
            _ = try reader.countTasks(.page(rest), limit: 5)
            _ = try reader.neighbour(queue: "q", of: 3, isBefore: isBackwards)
        }
        _ = try reader.counts(queue: "q")
        _ = try reader.holdingStart(queue: "q", group: "g", after: 3, before: 9)
        _ = try reader.tasks(
            .waitingMembers(queue: "q", group: "g", after: 0, through: 9), limit: 5)
        _ = try reader.countTasks(.waitingMembers(queue: "q", group: "g", after: 0), limit: 5)
        _ = try reader.groups(queue: "q", after: nil, limit: 5)
        _ = try reader.uniqueHolders(queue: "q", type: "t", key: "k", includingRunning: true)
        for queue in [nil, "q"] {
            _ = try reader.tasks(.timers(queue: queue, through: at(9)), limit: 5)
            _ = try reader.tasks(
                .timers(queue: queue, after: TimerCursor(at: at(0), id: 1)), limit: 5)
            for task in [nil, 1] as [TaskID?] {
                for after in [nil, 0] as [Int64?] {
                    var query = JournalQuery(limit: 5)
                    (query.queue, query.task, query.after) = (queue, task, after)
                    _ = try reader.journal(query)
                }
            }
        }
        for condition in [RowCondition.text([]), .size(.less, 3), .letters(FoldedLetters("a"))] {
            _ = try reader.look(
                RowSearch(
                    queue: "q", states: [.waiting], condition: condition, numbers: 1...9,
                    limit: 9, hitLimit: 9))
        }
        for selection in [
            TaskSelection.newest(), .newest(before: 3, in: [.waiting]), .numbered(after: 1),
            .numbered(after: 1, in: [.failed]), .expiring(through: at(9)),
            .timers(queue: "q", after: TimerCursor(at: at(0), id: 1), through: at(9)),
            .arrivedBefore(queue: "q", position: 5), .followUps(of: 1), .lingering(of: 1),
            .fresh(queue: "q", since: at(0), now: at(9)), .running(by: 1),
            .holdingStarts(queue: "q", group: "g", after: 3, before: 9),
            .uniqueHolders(queue: "q", type: "t", key: "k"),
            .keyUses(queue: "q", type: "t", key: "k"),
            .awaited(session: "s", state: .failed, after: 1),
            .ended(queue: "q", state: .failed, before: at(9)),
        ] {
            _ = try reader.tasks(selection, limit: 5)
            _ = try reader.countTasks(selection, limit: 5)
        }
        _ = try reader.nextExpiry()
        _ = try reader.fresh(queue: "q", since: at(0), now: at(9), limit: 5)
        _ = try reader.tasksRun(by: 1)
        _ = try reader.tasksLingering(of: 1)
        _ = try reader.followUps(of: 1)
        _ = try reader.tasks(.awaited(session: "s", state: .failed, after: 1), limit: 5)
        _ = try reader.event(1)
        for isUndo in [true, false] { _ = try reader.lastUndoable(by: "a", isUndo: isUndo) }
        _ = try reader.undoable(.slices(ofBulk: 1))
        _ = try reader.processes()
        _ = try reader.permits()
        _ = try reader.tasks(.ended(queue: "q", state: .failed, before: at(9)), limit: 5)
        _ = try reader.lastPosition(queue: "q")
        for what in [EndedSelection.attempts, .failures] {
            _ = try reader.endedCounts(what, queue: "q", since: at(0))
        }
        _ = try reader.failureCounts(queue: "q")
        _ = try reader.waitingStarts(queue: "q", since: at(0))
    }

    @Test("K6 every question is a search of an index: no scan of tasks, no sort")
    func plans() throws {
        let place = try Place()
        try place.open().close()
        let connection = try Connection(path: place.path, mode: .readWrite)
        try connection.beginWriting()
        let session = TableWriter(connection, settingsCache: SettingsCache())
        session.begin(at: at(0))
        try ask(session)
        try session.finish()
        let queries = connection.preparedQueries.filter { $0.contains("sluice_") }
        #expect(queries.count > 60)
        for query in queries {
            let plan = try connection.rows(once: "EXPLAIN QUERY PLAN \(query)") { $0.text(3) }
            let bad = plan.filter { step in
                step.contains("TEMP B-TREE")
                    || step.hasPrefix("SCAN")
                        && !Self.readWhole.contains { step.hasPrefix("SCAN \($0)") }
            }
            #expect(bad.isEmpty, "\(query)")
        }
    }

    @Test("no statement is prepared again for another value")
    func prepared() throws {
        let place = try Place()
        let store = try place.openWithQueue()
        _ = try store.writeBlocking { try $0.insertTasks(5) { $0.expiresAt = at(7) } }
        store.close()
        let connection = try Connection(path: place.path, mode: .readWrite)
        try connection.beginWriting()
        let session = TableWriter(connection, settingsCache: SettingsCache())
        for moment in 1...9 {
            let found = try session.tasks(.expiring(through: at(Int64(moment))), limit: 9)
            #expect(found.count == (moment < 7 ? 0 : 5))
            _ = try session.insertTasks(1) { $0.uniqueKey = "key \(moment)" }
        }
        #expect(connection.preparedQueries.count > 3)
        #expect(connection.repreparedQueries == [])
    }

    @Test("K6 what is ready of some types is counted by an index, and no task is read for it")
    func counts() throws {
        let place = try Place()
        let store = try place.openWithQueue()
        try store.writeBlocking { writer in
            for type in ["a", "b", "c", "a"] { try writer.insertTasks(40) { $0.type = type } }
        }
        store.close()
        let connection = try Connection(path: place.path, mode: .readWrite)
        try connection.beginReading()
        let session = TableReader(connection, settingsCache: SettingsCache())
        var query = TaskQuery(queue: "q", waitFlags: .ready, limit: 0)
        query.types = ["a", "c", "none"]
        #expect(try session.countTasks(.page(query), limit: 100) == 100)
        #expect(try session.countTasks(.page(query), limit: 1000) == 120)
        query.types = nil
        #expect(try session.countTasks(.page(query), limit: 1000) == 160)
        let asked = connection.preparedQueries.filter { $0.contains("sluice_task ") }
        #expect(!asked.isEmpty)
        #expect(asked.allSatisfy { $0.hasPrefix("SELECT count(*)") }, "\(asked)")
    }

    @Test("N1 what is ready of a type is found behind any number of others")
    func types() throws {
        let place = try Place()
        let store = try place.openWithQueue()
        let last = try store.writeBlocking { writer in
            for type in ["a", "b", "c"] { try writer.insertTasks(40) { $0.type = type } }
            return try writer.insertTasks(2) { $0.type = "b" }
        }
        var query = TaskQuery(queue: "q", waitFlags: .ready, limit: 50)
        query.types = ["c", "b", "none"]
        query.isBackwards = true
        let wanted = query
        let found = try store.readBlocking { try $0.tasks(matching: wanted) }
        #expect(found.map(\.id) == Array((41...last[1]).reversed().prefix(50)))
        store.close()
    }
}
