import SluiceModel
import SluiceStore
import SluiceSystem

/// Transactions. Settings apply to the whole link. With a pooler they apply to each transaction,
/// because nothing else persists.
extension ServerConnection {
    /// Sets the durability of the link's commits, if it is not set yet.
    private func setDurability() throws(QueueError) {
        guard !isPooled, keepsDurable ?? false != isDurable else { return }
        try ask { link throws(PostgresError) in
            try link.send(isDurable ? words.beDurable : "RESET synchronous_commit")
            // A setting inside a transaction ends together with that transaction, so this runs
            // outside of one.
            try link.settle()
        }
        keepsDurable = isDurable
    }

    func beginReading() throws(QueueError) {
        try connect()
        changeFailure = nil
        loss = nil
        changes = ServerChanges()
        answers.begin()
        (isInTransaction, isBeginDue, tripsAtBegin) = (true, true, link?.roundTrips)
    }

    /// Begins a transaction without other writers. It waits for its turn with the first query or
    /// change, so that the first result comes in the same round trip.
    func beginWriting() throws(QueueError) {
        try connect()
        changeFailure = nil
        loss = nil
        (changes, shared, isOwnFailure) = (ServerChanges(), nil, false)
        (isInTransaction, isBeginDue, isTurnDue, tripsAtBegin) = (true, false, true, nil)
    }

    func expect(_ questions: [Question], numbers: (query: Query, values: [Int64])?) {
        expected = questions.map { question($0.query, $0.bind) }
        guard let numbers, !numbers.values.isEmpty else { return }
        expected.append(question(numbers.query) { $0.bind(numbers.values) })
    }

    private func question(
        _ query: Query, _ bind: (ServerStatement) -> Void
    ) -> ServerPrefetch.Question {
        let statement = statement(of: query)
        bind(statement)
        defer { statement.reset() }
        return ServerPrefetch.Question(statement: statement, values: statement.values)
    }

    /// Takes the turn if still needed, together with a query that is not about the configuration.
    /// Reconnects a link that was lost while idle.
    @discardableResult
    func acquireTurn(
        asking first: ServerPrefetch.Question? = nil
    ) throws(QueueError) -> PostgresRows? {
        guard isTurnDue else { return nil }
        isTurnDue = false
        do {
            return try acquireTurnOnce(asking: first)
        } catch {
            guard link == nil, !isServerSilent else { throw error }
            try connect()
            (isInTransaction, loss, changeFailure) = (true, nil, nil)
            return try acquireTurnOnce(asking: first)
        }
    }

    /// Waits in a queue until no other process writes, checks the version of the tables, and reads
    /// the counters.
    private func acquireTurnOnce(
        asking first: ServerPrefetch.Question?
    ) throws(QueueError) -> PostgresRows? {
        answers.begin()
        try setDurability()
        (announced, hasAskedAgain) = (Set(expected), false)
        let foreseen =
            (prefetch.begin(with: first?.statement).filter { !announced.contains($0) } + expected)
            .filter { $0 != first }
        expected.removeAll(keepingCapacity: true)
        readsAhead += foreseen.count
        let questions = foreseen + (first.map { [$0] } ?? [])
        let found = try ask { link throws(PostgresError) in
            try link.send("BEGIN", name: name("begin"))
            if isPooled { try link.send(words.limits) }
            if isPooled, isDurable { try link.send(words.beDurable) }
            try link.send(words.acquireTurn, name: name("turn"))
            try link.send(words.numbers, name: name("numbers"))
            try send(questions, on: link)
            return try link.rowsOfAll()
        }
        let place = found.count - questions.count - 1
        guard place >= 0 else { throw endedTransaction }
        try record(numbers: found[place])
        keep(found.dropFirst(place + 1), of: foreseen)
        guard let first, let rows = found.last else { return nil }
        answers.keep(rows, of: first.statement, first.values)
        if first.statement.holdsStill { prefetch.record(first.statement, first.values) }
        return rows
    }

    /// Throws `noStore` if the tables belong to another store: they were dropped and recreated.
    private func record(numbers rows: PostgresRows) throws(QueueError) {
        if rows.count > 0, rows.integer(0, 2) == 0 {
            throw ServerFailure(store: settings.name).replaced()
        }
        let place = (0..<rows.count).first { rows.text($0, 0) == ServerCommands.configurationName }
        answers.seeConfiguration(place.map { rows.integer($0, 1) } ?? 0)
        answers.keep(rows, of: statement(of: Counters.all), [])
    }

    func control(_ step: TransactionStep) throws(QueueError) {
        switch step {
        case .rollback: try rollback()
        case .savepoint:
            try acquireTurn()
            shared = SharedBody(before: changes)
            changes = ServerChanges()
        case .release:
            if let shared, shared.isHeld { try send(changes.take(), then: "RELEASE body") }
            try joinChanges()
        case .rollbackToSavepoint: try undoBody()
        }
    }

    private func rollback() throws(QueueError) {
        (isInTransaction, shared, changes) = (false, nil, ServerChanges())
        if isBeginDue || isTurnDue || link == nil {
            return (isBeginDue, isTurnDue) = (false, false)
        }
        answers.forgetOwn()
        if let tripsAtBegin, let link {
            commitCount?.record(reading: link.roundTrips - tripsAtBegin)
        }
        try ask { link throws(PostgresError) in
            // Drain earlier failures, which are not failures of this statement.
            do { try link.settle() } catch {}
            // Without a wait for the reply: it can fail only with the link.
            try link.send("ROLLBACK", name: name("rollback"))
            try link.sendOff()
        }
    }

    /// Commits, and returns when the commit is on disk. The next writer continues as soon as it
    /// sees the commit, so that one disk flush serves several. Its claims are on disk before they
    /// start, because the log is sequential.
    func commit(keeping hasChanges: Bool) throws(QueueError) {
        if hasChanges { try faults?.step() }
        if isTurnDue {
            // No query was sent.
            return (isInTransaction, isTurnDue) = (false, false)
        }
        // Without changes the next writer need not wait for a reply to this one.
        if !hasChanges, shared == nil, changes.isEmpty { return try rollback() }
        try sendAll()
        let isDiskLeft = hasChanges && isDurable && leavesDiskBehind
        try ask { link throws(PostgresError) in
            if answers.hasNewScenery { try link.send(words.newScenery) }
            if isDiskLeft {
                try link.send(words.tellAndLeaveDiskBehind, name: name("leave"))
            } else if hasChanges {
                try link.send("NOTIFY \(schema)", name: name("notify"))
            }
            try link.send("COMMIT", name: name("commit"))
            if isDiskLeft {
                if isPooled { try link.send(words.beDurable) }
                try link.send(ServerCommands.awaitDisk, name: name("disk"))
            }
            try link.settle()
        }
        isInTransaction = false
        guard hasChanges else { return }
        commitCount?.record(roundTrips: link?.roundTrips ?? 0, readsAhead: readsAhead)
        faults?.committed()
    }

    /// The name of a prepared statement, or `nil` with a pooler, where none persists.
    func name(_ name: String) -> String? { isPooled ? nil : name }

    func set(_ durability: StoreRecord.Durability) { isDurable = durability == .full }

    func integrityProblems(isQuick: Bool) -> [String] { [] }

    /// The rows of a statement that is not prepared.
    func rows(once sql: String) throws(QueueError) -> PostgresRows {
        try acquireTurn()
        try sendAll()
        return try ask { link throws(PostgresError) in try link.rows(sql) }
    }

    /// Runs statements without values and without rows.
    func execute(_ statements: String...) throws(QueueError) { try execute(statements) }

    /// Runs statements without values and without rows.
    func execute(_ statements: [String]) throws(QueueError) {
        try sendAll()
        try ask { link throws(PostgresError) in
            for statement in statements { try link.send(statement) }
            try link.settle()
        }
    }
}

/// Announced questions whose answers the transaction has dropped.
extension ServerConnection {
    /// The announced questions to ask once more in the round trip of one of them, because changes
    /// have dropped their answers.
    func announcedAgain(
        with statement: ServerStatement, _ values: [ServerValue]
    ) -> [ServerPrefetch.Question] {
        guard !hasAskedAgain, statement.holdsStill, isAnnounced(statement, values)
        else { return [] }
        let first = ServerPrefetch.Question(statement: statement, values: values)
        let again = announced.filter {
            $0 != first && $0.statement.holdsStill
                && answers.answer(to: $0.statement, $0.values) == nil
        }
        hasAskedAgain = !again.isEmpty
        return Array(again)
    }

    func rows(
        _ statement: ServerStatement, _ values: [ServerValue],
        and again: [ServerPrefetch.Question]
    ) throws(QueueError) -> PostgresRows {
        let questions = again + [ServerPrefetch.Question(statement: statement, values: values)]
        for question in questions { try send(try sendChanges(askedBy: question.statement)) }
        let found = try ask { link throws(PostgresError) in
            try send(questions, on: link)
            return try link.rowsOfAll()
        }
        guard let rows = found.last, found.count >= questions.count else {
            throw endedTransaction
        }
        keep(found.suffix(questions.count), of: questions)
        return rows
    }
}

/// Bodies that share a transaction. Most of them do not query tables that they changed. The
/// connection buffers the changes of such a body and drops them to revert it. A body needs a
/// savepoint on the server only if its changes go there before it ends.
extension ServerConnection {
    struct SharedBody {
        var before: ServerChanges
        /// Whether the server has a savepoint at the body's start.
        var isHeld = false
        /// The error with which the server aborted the whole transaction.
        var failure: QueueError?
    }

    /// Creates a savepoint at the start of the running body, before its changes follow.
    func holdPlace() throws(QueueError) {
        guard var body = shared, !body.isHeld else { return }
        let before = body.before.take()
        body.isHeld = true
        shared = body
        try send(before, then: "SAVEPOINT body")
    }

    /// Sends changes and a statement without rows. A later reply reports failures.
    func send(_ batches: [ServerChanges.Batch], then statement: String) throws(QueueError) {
        try send(batches)
        try ask { link throws(PostgresError) in try link.send(statement) }
    }

    /// Sends the buffered changes of tables that a query reads. Returns changes to send together
    /// with the query.
    func sendChanges(
        askedBy question: ServerStatement
    ) throws(QueueError) -> [ServerChanges.Batch] {
        let own = changes.take(askedBy: question)
        if !own.isEmpty { try holdPlace() }
        if shared?.isHeld == false {
            try send(shared?.before.take(askedBy: question) ?? [])
            return shared?.before.drainMany() ?? []
        }
        try send(own)
        return changes.drainMany()
    }

    /// Ends the body: appends its buffered changes to the earlier ones.
    func joinChanges() throws(QueueError) {
        guard let body = shared else { return }
        shared = nil
        guard !body.isHeld else { return }
        let own = changes.take()
        changes = body.before
        for batch in own {
            for row in batch.rows { try send(changes.add(batch.statement, row)) }
        }
    }

    func undoBody() throws(QueueError) {
        guard let body = shared else { return }
        shared = nil
        answers.forgetOwn()
        changes = body.before
        guard body.isHeld else {
            // Without a savepoint the earlier bodies are reverted too.
            if let failure = body.failure { throw failure }
            return
        }
        try ask { link throws(PostgresError) in
            // Drain earlier failures, which are not failures of this statement.
            do { try link.settle() } catch {}
            try link.send("ROLLBACK TO body")
            try link.settle()
        }
    }
}
