package import SluiceModel
package import SluiceStore

/// The writer of bodies: one session for all commits of a connection.
///
/// It caches its reads and writes while no other process changes the tables. It keeps counters and
/// tallies here and writes them once per commit.
package final class TableWriter: TableReader, StoreWriter {
    /// The buffer for new tasks, or `nil` if the connection buffers rows itself.
    let kept: WriteBuffer?
    private var numbers = Counters()
    var positions = LastPositions()
    var tallies = Tallies()
    var ended = EndedTallies()
    private var waitingMinutes = WaitingMinutes()
    var groupTallies: [GroupKey: GroupTally] = [:]
    var memory = WriterMemory()
    /// Whether queues have changes that a rollback may revert.
    var hasChangedQueues = false
    /// The durability of later commits, if the running body changed it.
    var newDurability: StoreRecord.Durability?
    package var liveness: Liveness?
    /// The notes of the running body for a recording (G6).
    let notes = TapeNotes()
    /// The reads that the bodies of the next commit announced.
    package var expected = ExpectedReads()
    /// The configuration number of the reads sent ahead, or `nil` without any.
    var aheadNumber: Int64?
    /// The results of reads sent with the start of the commit.
    var ahead = TasksAhead()
    /// The orders of claims by runner, for a file.
    var turnOrders: [ProcessID: TurnOrder] = [:]
    /// Whether a recording is active, if known.
    var knownRecording: Bool?

    private enum SQL {
        static let insertPayload = Query(
            .insert(into: "sluice_payload", ["task", "payload"]))
        static let apart = Query("SELECT \(WriterMemory.RowsApart.columns)")
        static let deletePayload = Query(.delete(from: "sluice_payload", where: ["task"]))
        static let deleteResult = Query(.delete(from: "sluice_result", where: ["task"]))
        static let setInline = Query(.update("sluice_task", ["payload"], where: ["id"]))
        static let setResult = Query(
            .insert(into: "sluice_result", ["task", "result"], replacing: ["task"]))
    }

    override init(_ connection: any TableConnection, settingsCache: SettingsCache) {
        kept = connection.isRemote ? nil : WriteBuffer(connection)
        super.init(kept ?? connection, settingsCache: settingsCache)
    }

    package func begin(at moment: Timestamp) { waitingMinutes.begin(at: moment) }

    override func writeTallies() throws(QueueError) {
        try tallies.write(connection, &waitingMinutes)
        try ended.write(connection)
        forgetCounts()
    }

    override func cache(_ task: QueueTask) { memory.cache(task) }

    override var isWriting: Bool { true }
    override var keepsPayloads: Bool { true }

    override func cache(_ payload: [UInt8], of id: TaskID) { memory.cache(payload, of: id) }

    override func wholePayloads(of ids: [TaskID]) throws(QueueError) -> [TaskID: [UInt8]] {
        var found: [TaskID: [UInt8]] = [:]
        for id in ids { found[id] = memory.payloads[id] }
        if found.count == ids.count { return found }
        let rest = try storedPayloads(of: ids.filter { found[$0] == nil })
        return found.merging(rest) { first, _ in first }
    }

    func forgetSeen() {
        memory.seen.removeAll()
        memory.payloads.removeAll()
    }

    /// The tables were recounted.
    func forgetTallies() {
        tallies = Tallies()
        turnOrders.removeAll()
        forgetCounts()
    }

    /// Forgets all: the transaction was undone, or others may have changed the tables.
    package override func forget() {
        super.forget()
        waitingMinutes.forget()
        (numbers, positions) = (Counters(), LastPositions())
        (ended, memory, groupTallies) = (EndedTallies(), WriterMemory(), [:])
        forgetTallies()
        // Reverted queues had numbers that other queues will get.
        if hasChangedQueues { forgetQueueList() }
        ahead.forget()
        forgetRecording()
    }

    /// The unwritten state of the bodies that share the commit.
    struct Savepoint {
        fileprivate var numbers: Counters
        fileprivate var positions: LastPositions
        fileprivate var tallies: Tallies
        fileprivate var ended: EndedTallies
    }

    func savepoint() -> Savepoint {
        Savepoint(numbers: numbers, positions: positions, tallies: tallies, ended: ended)
    }

    /// The running body was undone: restores the state of the bodies before it.
    func restore(_ savepoint: Savepoint) {
        forget()
        (numbers, positions) = (savepoint.numbers, savepoint.positions)
        (tallies, ended) = (savepoint.tallies, savepoint.ended)
    }

    override func knownQueues() throws -> [KnownQueue] {
        if !connection.isRemote, let names = memory.queueNames {
            return try names.compactMap { try known(queue: $0) }
        }
        let found = try super.knownQueues()
        memory.queueNames = found.map(\.entry.record.name)
        return found
    }

    /// Includes tasks that began to wait in this commit.
    override func queuesWaiting(in marks: WaitFlags) throws(QueueError) -> Set<Int64> {
        if !marks.isEmpty { return try super.queuesWaiting(in: marks).union(tallies.grown()) }
        if let known = tallies.waiting() { return known }
        let found = try super.queuesWaiting(in: marks).union(tallies.grown())
        tallies.record(waiting: found)
        return found
    }

    package override func slotOffers() throws -> [SlotOffer] {
        if let known = memory.offers { return known }
        let found = try storedOffers()
        memory.offers = found
        return found
    }

    package override func permits() throws -> [Permit] {
        if let known = memory.permits { return known }
        let found = try super.permits()
        memory.permits = found
        return found
    }

    package override func hasFreshRows() throws -> Bool {
        if memory.isInboxEmpty { return false }
        let isFresh = try super.hasFreshRows()
        memory.isInboxEmpty = !isFresh
        return isFresh
    }

    package override func lastPosition(queue: String) throws -> Int64 {
        guard let queue = try entry(queue) else { return 0 }
        return try positions.last(of: queue.id) { () throws(QueueError) in
            try storedLastPosition(of: queue.id)
        }
    }

    override func counts(of queue: Int64) throws(QueueError) -> QueueCounts {
        try tallies.counts(of: queue) { () throws(QueueError) in try storedCounts(of: queue) }
    }

    package override func groups(queue: String, after name: String?, limit: Int) throws
        -> [GroupSummary]
    {
        try writeGroupTallies()
        return try storedGroups(queue: queue, after: name, limit: limit)
    }

    /// Ends a body: writes everything that must not affect the next body.
    package func finish() throws(QueueError) {
        try writeGroupTallies()
        try leaveNotes()
    }

    /// Writes the counters and tallies of a commit's bodies. Throws the first error of a change.
    package func writeCounts() throws(QueueError) {
        try kept?.write()
        try numbers.write(connection)
        try positions.write(connection)
        try tallies.write(connection, &waitingMinutes)
        try ended.write(connection)
        if let failure = connection.changeFailure { throw failure }
    }

    /// A commit is over: no more than a little is remembered until the next.
    func rest() {
        memory.rest()
        waitingMinutes.rest()
        ahead.forget()
        hasChangedQueues = false
    }

    package func apply(_ change: StoreChange) throws {
        try make(change)
        if try isRecorded() { notes.record(change) }
    }

    private func make(_ change: StoreChange) throws {
        if change.mayMoveTasks { ahead.forget() }
        switch change {
        case .store(let record): try put(record)
        case .queue(let queue): try put(queue)
        case .removedQueue(let name): try removeQueue(named: name)
        case .clearedRunMarks(let queue): try clearRunMarks(queue: queue)
        case .process(let process): try put(process)
        case .removedProcess(let id): try removeProcess(id)
        case .offer(let offer): try put(offer)
        case .removedOffer(let process): try removeOffer(of: process)
        case .permit(let permit): try put(permit)
        case .removedPermits(let ids): try removePermits(ids)
        case .payload(let payload, let id): try setPayload(payload, of: id)
        case .result(let result, let id): try setResult(result, of: id)
        case .origin(let origin, let id): try putOrigin(origin, of: id)
        case .undone(let sequence, let undo): try markUndone(sequence, by: undo)
        case .images(let images): try put(images)
        case .step(let step): try put(step)
        case .removedImages(let mark): try removeImages(before: mark)
        case .movedRecords(let last): try forgetRecords(through: last)
        }
    }

    package func reserveNumbers(_ count: Int, of what: NumberedThing) throws -> Int64 {
        switch what {
        case .tasks: try numbers.take(.task, count, connection)
        case .others: try numbers.take(.number, count, connection)
        }
    }

    func reserveSequence(_ count: Int) throws(QueueError) -> Int64 {
        try numbers.take(.journal, count, connection)
    }

    func reserveQueueID() throws(QueueError) -> Int64 { try numbers.take(.queue, 1, connection) }

    package func update(_ tasks: [QueueTask]) throws {
        for task in tasks { try update(task) }
        if try isRecorded() { notes.record(updated: tasks) }
    }

    private func update(_ task: QueueTask) throws {
        guard let old = try known(task.id) else { throw QueueError.unknownTask(task.id) }
        let queue = try entry(for: task)
        if TaskRow.differInHold(old, task) {
            try updateHold(task, from: old, queue)
            return try followAhead(task.id, to: task)
        }
        let oldQueue = old.queue == task.queue ? queue : try requireEntry(old.queue)
        try rewrite(task, from: old, queue)
        if old.position != task.position || old.queue != task.queue {
            positions.raise(to: task.position, of: queue.id)
        }
        let (before, after) = (TallyKey(old, queue: oldQueue.id), TallyKey(task, queue: queue.id))
        if before != after {
            tallies.add(-1, before)
            tallies.add(1, after)
        }
        ended.move(from: old, oldQueue.id, to: task, queue.id)
        try moveRoles(from: Roles(old, queue: oldQueue), to: Roles(task, queue: queue))
        cache(task)
        try followAhead(task.id, to: task)
    }

    /// Names no more columns than have to change, so that the other indexes are left alone.
    private func rewrite(
        _ task: QueueTask, from old: QueueTask, _ queue: QueueEntry
    ) throws(QueueError) {
        if let kept, let lease = BufferedLease(task, from: old, in: queue) {
            return try kept.keep(lease)
        }
        let row: any BoundStatement
        if TaskRow.differInLease(old, task, settings: queue.record.sharedSettings) {
            row = try connection.prepare(TaskColumns.updateLease)
            TaskRow.bindLease(task, in: queue, to: row)
        } else if TaskRow.differInLife(old, task) {
            row = try connection.prepare(TaskColumns.updateLife)
            TaskRow.bindLife(task, in: queue, to: row)
        } else {
            row = try connection.prepare(TaskColumns.updateAll)
            TaskRow.bindLife(task, in: queue, to: row)
            TaskRow.bindFixed(task, queueID: queue.id, to: row)
        }
        row.bind(task.id)
        try row.run()
    }

    /// Members of a group are freed and held by the thousand: nothing but their wait flags changes.
    private func updateHold(
        _ task: QueueTask, from old: QueueTask, _ queue: QueueEntry
    ) throws(QueueError) {
        let row = try connection.prepare(TaskColumns.updateHold)
        row.bind(IndexBucket.number(of: task, in: queue))
        row.bind(MarkBits(task).rawValue)
        row.bind(task.id)
        try row.run()
        tallies.add(-1, TallyKey(old, queue: queue.id))
        tallies.add(1, TallyKey(task, queue: queue.id))
        cache(task)
    }

    override func known(_ selection: TaskSelection, limit: Int) -> [QueueTask]? {
        ahead.tasks(selection, limit: limit)
    }

    override func isKnown(_ id: TaskID) -> Bool { memory.seen[id] != nil }

    override func known(_ id: TaskID) throws(QueueError) -> QueueTask? {
        if let task = memory.seen[id] { return task }
        return try storedTask(id)
    }

    package func remove(_ ids: [TaskID]) throws {
        if try isRecorded() { notes.record(removed: ids) }
        for id in ids {
            guard let old = try known(id) else { continue }
            let queue = try requireEntry(old.queue)
            if let kept { try kept.keep(gone: id) } else { try change(TaskColumns.delete, id) }
            let apart = try rowsApart()
            if apart.payloads { try change(SQL.deletePayload, id) }
            if apart.results { try change(SQL.deleteResult, id) }
            if apart.origins { try shortenOrigin(of: id) }
            tallies.add(-1, TallyKey(old, queue: queue.id))
            ended.move(from: old, queue.id, to: nil, queue.id)
            try moveRoles(from: Roles(old, queue: queue), to: nil)
            memory.forget(id)
            try followAhead(id, to: nil)
        }
    }

    /// Asked once, for all three.
    func rowsApart() throws(QueueError) -> WriterMemory.RowsApart {
        if let known = memory.apart { return known }
        let row = try connection.prepare(SQL.apart)
        defer { row.reset() }
        guard try row.next() else { throw StoredFields.damage("an answer has no row") }
        let found = WriterMemory.RowsApart(row, from: 0)
        memory.apart = found
        return found
    }

    private func setPayload(_ payload: [UInt8], of id: TaskID) throws {
        let isInline = payload.count <= TaskRow.inlinePayloadBytes
        guard try known(id) != nil else { throw QueueError.unknownTask(id) }
        memory.payloads[id] = nil
        let row = try connection.prepare(SQL.setInline)
        row.bind(isInline ? payload : nil)
        row.bind(id)
        try row.run()
        try change(SQL.deletePayload, id)
        if !isInline { try insertPayload(payload, of: id) }
    }

    func insertPayload(_ payload: [UInt8], of id: TaskID) throws(QueueError) {
        memory.apart?.payloads = true
        let row = try connection.prepare(SQL.insertPayload)
        row.bind(id)
        try row.run(bindingLast: payload)
    }

    private func setResult(_ result: [UInt8]?, of id: TaskID) throws {
        guard try known(id) != nil else { throw QueueError.unknownTask(id) }
        guard let result else { return try change(SQL.deleteResult, id) }
        memory.apart?.results = true
        let row = try connection.prepare(SQL.setResult)
        row.bind(id)
        try row.run(bindingLast: result)
    }

    /// Runs a statement about one number.
    func change(_ query: Query, _ number: Int64) throws(QueueError) {
        let row = try connection.prepare(query)
        row.bind(number)
        try row.run()
    }
}

extension StoreChange {
    /// Whether it may change which tasks a selection has, or their order.
    fileprivate var mayMoveTasks: Bool {
        switch self {
        case .queue, .removedQueue, .clearedRunMarks, .payload: true
        case .store, .process, .removedProcess, .offer, .removedOffer, .permit, .removedPermits,
            .result, .origin, .undone, .images, .step, .removedImages, .movedRecords:
            false
        }
    }
}
