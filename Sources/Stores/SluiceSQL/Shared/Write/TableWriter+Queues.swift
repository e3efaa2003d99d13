package import SluiceModel
package import SluiceStore

/// Queues, and what their settings mean for the rows of their tasks.
extension TableWriter {
    private enum SQL {
        static let insert = Query(
            RowChange.insert(into: "sluice_queue", columns).sql, other: made.sql, change: made)
        private static let made = RowChange.insert(into: "sluice_queue", columns + ["changed"])
        private static let columns = [
            "settings", "pauses", "run", "last_run_end", "barren_runs", "wakes", "created_at",
            "version", "paid_up", "paid_keys", "name", "id",
        ]
        static let update = Query(
            "\(setAll) WHERE id = ?11", other: "\(setAll), changed = ?12 WHERE id = ?11")
        private static let setAll =
            """
            UPDATE sluice_queue SET settings = coalesce(?1, settings), pauses = ?2, run = ?3,
                last_run_end = ?4, barren_runs = ?5, wakes = ?6, created_at = ?7, version = ?8,
                paid_up = ?9, paid_keys = ?10
            """
        /// For a file only; at a server all queues are cached.
        static let setPriority = Query(.update("sluice_queue", ["priority"], where: ["id"]))
        static let waiting = TaskColumns.select(
            "FROM sluice_task t WHERE t.queue = ? AND t.lane >= 0")
        static let setTypes = Query(
            RowChange.update("sluice_queue", types, where: ["id"]).sql, other: retyped.sql,
            change: retyped)
        private static let retyped = RowChange.update(
            "sluice_queue", types + ["changed"], where: ["id"])
        private static let types = ["main_type", "is_mixed"]
        static let setRank = Query(.update("sluice_task", ["rank"], where: ["id"]))
        static let setExpiring = Query(
            """
            UPDATE sluice_task
            SET expiring_at = CASE WHEN CAST(?2 AS BIGINT) <> 0 THEN expires_at END
            WHERE queue = ?1 AND lane >= 0 AND group_start IS NOT NULL
                AND expires_at IS NOT NULL
            """)
        static let setFresh = Query(
            """
            UPDATE sluice_task SET fresh_at = -fresh_at
            WHERE queue = ? AND fresh_at < 0
            """)
        static let clearMarks = Query(
            """
            UPDATE sluice_task SET lane = lane & ~CAST(?3 AS BIGINT)
            WHERE queue = ?1 AND lane = ?2
            """)
        static let deletions: [Query] =
            [LastPositions.removal, EndedRow.takeFromAll]
            + ["payload", "result"].map {
                Query(
                    """
                    DELETE FROM sluice_\($0)
                    WHERE task IN (SELECT id FROM sluice_task WHERE queue = ?)
                    """)
            }
            + ["task", "role", "group", "tally", "ended", "waited", "failure"].map {
                Query(.delete(from: "sluice_\($0)", where: ["queue"]))
            } + [Query(.delete(from: "sluice_queue", where: ["id"]))]
        static let setRemoval = Query(
            "UPDATE sluice_number SET value = ? WHERE name = '\(TableHistory.removalName)'")
        static let store = Query(
            """
            UPDATE sluice_store SET identity = ?, durability = ?, pauses = ?,
                forced_network = ?, version = ?, breakpoints = ?, faults = ?,
                filters = ?, protected = ?, clock = ?, checkpoints = ?, schedules = ?,
                recording = ?
            """)
        /// A program that knows no breakpoints, or no faults, would go past them.
        static let refuseOlder = Query(
            refusal(TableHistory.stopping.file), other: refusal(TableHistory.stopping.server))
        static let refuseFaultless = Query(
            refusal(TableHistory.injecting.file), other: refusal(TableHistory.injecting.server))
        /// One that reads no clock would go by the real time.
        static let refuseClockless = Query(
            refusal(TableHistory.clocked.file), other: refusal(TableHistory.clocked.server))
        /// One that knows no checkpoints would keep no images.
        static let refuseImageless = Query(
            refusal(TableHistory.keeping.file), other: refusal(TableHistory.keeping.server))
        /// One that knows no rate would exceed it. It would also drop settings of types, and the
        /// forced network of a queue.
        static let refuseRateless = Query(
            refusal(TableHistory.pacing.file), other: refusal(TableHistory.pacing.server))
        /// The commits of one that knows no recording would be missing on a tape.
        static let refuseUnrecorded = Query(
            refusal(TableHistory.recording.file), other: refusal(TableHistory.recording.server))

        private static func refusal(_ version: Int) -> String {
            "UPDATE sluice_schema SET oldest = \(version) WHERE oldest < \(version)"
        }
    }

    func put(_ queue: QueueRecord) throws {
        hasChangedQueues = true
        let settings = queue.settings
        if settings.rate != nil || settings.hasTypes || settings.forcedNetwork != nil
            || settings.unique != nil || settings.requiresTasks
        {
            try connection.prepare(SQL.refuseRateless).run()
        }
        let former = try entry(queue.name)
        followTurns(from: former?.record, to: queue)
        guard let old = former else {
            memory.queueNames = nil
            let id = try reserveQueueID()
            let row = try connection.prepare(SQL.insert)
            row.bind(queue.settings.stored.text)
            bind(queue, to: row)
            row.bind(queue.name)
            row.bind(id)
            try bindConfiguration(to: row)
            try row.run()
            try setPriority(of: id, from: 0, to: queue.settings.priority)
            return keep(QueueEntry(id: id, record: queue))
        }
        let row = try connection.prepare(SQL.update)
        let isNew = old.record.settings != queue.settings
        row.bind(isNew ? queue.settings.stored.text : nil)
        bind(queue, to: row)
        row.bind(old.id)
        try bindConfiguration(to: row)
        try row.run()
        keep(QueueEntry(id: old.id, record: queue, types: old.types))
        guard isNew else { return }
        try setPriority(
            of: old.id, from: old.record.settings.priority, to: queue.settings.priority)
        if old.record.settings.order != queue.settings.order { try rank(queue, old.id) }
        if old.record.settings.startsExpire != queue.settings.startsExpire {
            let row = try connection.prepare(SQL.setExpiring)
            row.bind(old.id)
            row.bind(queue.settings.startsExpire)
            try row.run()
        }
        if case .batched = queue.settings.start { try change(SQL.setFresh, old.id) }
    }

    private func setPriority(
        of id: Int64, from old: Int, to new: Int
    ) throws(QueueError) {
        guard !connection.isRemote, old != new else { return }
        let row = try connection.prepare(SQL.setPriority)
        row.bind(new)
        row.bind(id)
        try row.run()
    }

    /// The queue of a task, with the task's type among its types.
    func entry(for task: QueueTask) throws -> QueueEntry {
        let known = try requireEntry(task.queue)
        guard !known.types.covers(task.type) else { return known }
        var types = known.types
        types.add(task.type)
        let entry = QueueEntry(id: known.id, record: known.record, types: types)
        hasChangedQueues = true
        let row = try connection.prepare(SQL.setTypes)
        row.bind(entry.types.main)
        row.bind(entry.types.isMixed)
        try bindConfiguration(to: row)
        row.bind(entry.id)
        try row.run()
        keep(entry)
        return entry
    }

    private func bindConfiguration(to row: any BoundStatement) throws(QueueError) {
        if let number = try connection.nextConfiguration() { row.bind(number) }
    }

    private func bind(_ queue: QueueRecord, to row: any BoundStatement) {
        row.bind(queue.pauses.isEmpty ? "[]" : queue.pauses.stored.text)
        row.bind(queue.run?.stored.text)
        row.bind(queue.lastRunEnd)
        row.bind(queue.barrenRuns)
        row.bind(queue.wakes.isEmpty ? nil : queue.wakes.stored.text)
        row.bind(queue.createdAt)
        row.bind(queue.version)
        row.bind(queue.paidUp)
        row.bind(queue.paidKeys.stored?.text)
    }

    /// Puts the waiting tasks in the queue's order.
    private func rank(_ queue: QueueRecord, _ id: Int64) throws {
        let all = try connection.prepare(SQL.waiting)
        defer { all.reset() }
        all.bind(id)
        let entry = QueueEntry(id: id, record: queue)
        // Taken whole: a scan must not meet the rows that it moves.
        for task in try tasks(of: all) {
            let row = try connection.prepare(SQL.setRank)
            row.bind(task.orderKey(queue.settings.order).bytes)
            row.bind(task.id)
            try row.run()
            guard let roles = Roles(task, queue: entry) else { continue }
            var former = roles
            former.rank = []
            try moveRoles(from: former, to: roles)
        }
    }

    func clearRunMarks(queue name: String) throws {
        guard let queue = try entry(name) else { return }
        let flagSets = try counts(queue: name).waitingByFlags
        for (waitFlags, count) in flagSets
        where waitFlags.contains(.attempted) && !waitFlags.contains(.skipped) {
            for isMainType in [true, false] {
                let row = try connection.prepare(SQL.clearMarks)
                row.bind(queue.id)
                row.bind(IndexBucket.number(of: waitFlags, isMainType: isMainType))
                row.bind(WaitFlags.attempted.rawValue)
                try row.run()
            }
            tallies.move(
                count, in: queue.id, from: waitFlags, to: waitFlags.subtracting(.attempted))
        }
        forgetSeen()
        for waitFlags in flagSets.keys where waitFlags.contains(.skipped) {
            try clearSkips(name, waitFlags)
        }
    }

    private func clearSkips(_ name: String, _ waitFlags: WaitFlags) throws {
        let order = try requireEntry(name).record.settings.order
        var page = TaskQuery(queue: name, waitFlags: waitFlags, limit: 500)
        while true {
            let tasks = try tasks(matching: page)
            guard let last = tasks.last else { return }
            page.after = last.orderKey(order)
            for var task in tasks {
                guard var waiting = task.waiting else { continue }
                waiting.attemptedInRun = false
                if waiting.skip?.endsWithRun == true { waiting.skip = nil }
                guard waiting != task.waiting else { continue }
                task.state = .waiting(waiting)
                try update([task])
            }
        }
    }

    func removeQueue(named name: String) throws {
        guard let queue = try entry(name) else { return }
        hasChangedQueues = true
        try writeTallies()
        try shortenOrigins(ofQueue: queue.id)
        for query in SQL.deletions { try change(query, queue.id) }
        if let number = try connection.nextConfiguration() { try change(SQL.setRemoval, number) }
        tallies.forget(queue: queue.id)
        turnOrders.removeAll()
        ended.forget(queue: queue.id)
        groupTallies = groupTallies.filter { $0.key.queue != queue.id }
        forgetSeen()
        positions.forget(queue: queue.id)
        memory.queueNames = nil
        forgetQueue(name)
    }

    static func stored(_ filters: [String: String]) -> JSONValue? {
        guard !filters.isEmpty else { return nil }
        var object = JSONObject()
        for (name, text) in filters.sorted(by: { $0.key < $1.key }) { object[name] = .string(text) }
        return .object(object)
    }

    func put(_ store: StoreRecord) throws {
        if store.recording == nil, try isRecorded() { try clearRecords() }
        if try store.journalBytes != storeRecord().journalBytes {
            try JournalImages(connection).set(limit: store.journalBytes)
        }
        let row = try connection.prepare(SQL.store)
        row.bind(store.identity)
        row.bind(store.durability.rawValue)
        row.bind(store.pauses.stored.text)
        row.bind(store.forcedNetwork.map { $0 ? 1 : 0 as Int64 })
        row.bind(store.version)
        row.bind(store.breakpoints.stored?.text)
        row.bind(store.faults.stored?.text)
        row.bind(Self.stored(store.filters)?.text)
        row.bind(store.isProtected ? 1 : 0 as Int64)
        row.bind(store.clock?.stored.text)
        row.bind(store.checkpoints.stored?.text)
        row.bind(store.schedules.stored?.text)
        row.bind(store.recording?.stored.text)
        try row.run()
        if !store.breakpoints.isEmpty { try connection.prepare(SQL.refuseOlder).run() }
        if !store.faults.isEmpty { try connection.prepare(SQL.refuseFaultless).run() }
        if store.clock != nil { try connection.prepare(SQL.refuseClockless).run() }
        if !store.checkpoints.isEmpty { try connection.prepare(SQL.refuseImageless).run() }
        if store.recording != nil { try connection.prepare(SQL.refuseUnrecorded).run() }
        forgetStoreRecord()
        knownRecording = store.recording != nil
        newDurability = store.durability
    }
}

/// The orders of claims (Q5), kept for as long as this process alone writes.
extension TableWriter {
    /// At a server other writers come between, and all queues are in memory.
    package func turnOrder(of runner: ProcessRecord, after turn: RoundRobin) throws -> TurnOrder {
        guard !connection.isRemote else {
            return TurnOrder(of: try queues(.inUse([])), for: runner, after: turn)
        }
        for number in tallies.takeGrown() where !turnOrders.isEmpty {
            if let queue = try entry(queueName(number)) { followTurns(queue.record) }
        }
        if let known = turnOrders[runner.id], known.holds(for: runner, after: turn) {
            return known
        }
        if turnOrders.count >= Self.turnOrderLimit { turnOrders.removeAll() }
        let order = TurnOrder(
            of: try queues(.inUse([])), for: runner, after: turn, isKept: true)
        tallies.followGrowth()
        turnOrders[runner.id] = order
        return order
    }

    /// Processes with more runners than this on one store are rare.
    private static let turnOrderLimit = 8

    private func followTurns(_ queue: QueueRecord) {
        for order in turnOrders.values { order.add(queue) }
    }

    func followTurns(from old: QueueRecord?, to queue: QueueRecord) {
        guard !turnOrders.isEmpty else { return }
        if let old, !old.hasPlace(of: queue) { return turnOrders.removeAll() }
        if queue.run != nil { followTurns(queue) }
    }
}

extension QueueRecord {
    /// Whether it has the same place in the order of claims as another version of it.
    fileprivate func hasPlace(of other: QueueRecord) -> Bool {
        settings.priority == other.settings.priority
            && (settings.concurrency == 1) == (other.settings.concurrency == 1)
    }
}

/// Offers of free slots (A1).
extension TableWriter {
    private enum OfferSQL {
        static let put = Query(
            .insert(
                into: "sluice_offer", ["process", "slots", "in_hand", "priority", "handed"],
                replacing: ["process"]))
        static let remove = Query(.delete(from: "sluice_offer", where: ["process"]))
    }

    func put(_ offer: SlotOffer) throws {
        let row = try connection.prepare(OfferSQL.put)
        row.bind(offer.process)
        row.bind(offer.slots)
        row.bind(offer.inFlight)
        row.bind(offer.priority)
        row.bind(offer.handed.map(String.init).joined(separator: " "))
        try row.run()
        memory.offers = nil
    }

    func removeOffer(of process: ProcessID) throws {
        guard connection.hasOffers else { return }
        if memory.offers?.contains(where: { $0.process == process }) == false { return }
        try change(OfferSQL.remove, process)
        memory.offers = nil
    }
}

extension TableReader {
    private enum OfferSQL {
        static let offers = Query(
            "SELECT process, slots, in_hand, priority, handed FROM sluice_offer ORDER BY process")
    }

    func storedOffers() throws(QueueError) -> [SlotOffer] {
        guard connection.hasOffers else { return [] }
        let row = try connection.prepare(OfferSQL.offers)
        defer { row.reset() }
        var found: [SlotOffer] = []
        while try row.next() {
            found.append(
                SlotOffer(
                    process: row.integer(0), slots: row.int(1), inFlight: row.int(2),
                    priority: row.integer(3),
                    handed: row.text(4).split(separator: " ").compactMap { TaskID($0) }))
        }
        return found
    }
}
