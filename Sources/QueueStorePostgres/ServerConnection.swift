import PostgresClient
import QueueModel
import QueueStore
import QueueStoreTables

/// A connection to the database of a store: a link to the server, made anew after it was lost.
final class ServerConnection: TableConnection {
    let settings: PostgresSettings
    /// The schema of the tables.
    let schema: String
    private let faults: WriteFaults?
    /// Is told what the server's clock shows, whenever it was connected to.
    private let clock: StoreClock?
    /// Is told who serves it.
    private let own: OwnBackends?
    private var link: PostgresConnection?
    private var statements: [ObjectIdentifier: ServerStatement] = [:]
    /// Whether a pooler stands between, so that each transaction may meet another process of the
    /// server, which knows nothing of what was prepared before.
    private(set) var isPooled = false
    /// Whether commits must survive a power cut, also where the server's own setting is less.
    private var isDurable = true

    private(set) var changeFailure: QueueError?
    private(set) var isInTransaction = false
    private(set) var totalChanges: Int64 = 0
    private var loss: QueueError?
    private var words: ServerWords { ServerWords(schema: schema, isPooled: isPooled) }
    private var changes = ServerChanges()
    private var answers = ServerAnswers()
    /// Whether a transaction that reads is to begin with its first question.
    private var isBeginDue = false
    /// Whether commits of the link survive a power cut, as far as it was told.
    private var keepsDurable: Bool?

    /// A connection that is made when it is first needed.
    init(
        _ settings: PostgresSettings, schema: String, faults: WriteFaults? = nil,
        clock: StoreClock? = nil, own: OwnBackends? = nil
    ) {
        self.clock = clock
        self.own = own
        self.settings = settings
        self.schema = schema
        self.faults = faults
    }

    private var failure: ServerFailure { ServerFailure(store: settings.name) }

    var hasInbox: Bool { false }

    /// Who lives on another machine is known too late for handing work over.
    var hasOffers: Bool { false }

    var joinsRows: Bool { true }

    var endedTransaction: QueueError {
        loss ?? failure.error(PostgresError(.lost, ""))
    }

    /// What the server says of itself.
    var server: PostgresConnection? { link }

    /// Connects where there is no link that stands.
    func connect() throws(QueueError) {
        if let link, link.isOpen { return }
        disconnect()
        do {
            let made = try PostgresConnection(settings)
            let begin = clock?.moment ?? 0
            let seen = try made.rows("SELECT pg_backend_pid(), \(Self.time)")
            clock?.note(shown: seen.integer(0, 1), between: begin, and: clock?.moment ?? 0)
            isPooled = seen.integer(0, 0) != Int64(made.backend)
            keepsDurable = nil
            own?.note(made.backend)
            if !isPooled {
                try made.send(words.limits)
                try made.sendOff()
            }
            link = made
        } catch {
            throw failure.error(error)
        }
    }

    /// What the server's clock shows, in milliseconds since 1970.
    private static let time = "(extract(epoch FROM clock_timestamp()) * 1000)::bigint"

    /// Asks once more what the server's clock shows.
    func readClock() throws(QueueError) {
        guard let clock else { return }
        let begin = clock.moment
        let seen = try rows(once: "SELECT \(Self.time)")
        clock.note(shown: seen.integer(0, 0), between: begin, and: clock.moment)
    }

    /// Gives the link up.
    func disconnect() {
        link = nil
        changes = ServerChanges()
        (isInTransaction, isBeginDue) = (false, false)
    }

    func prepare(_ query: Query) throws(QueueError) -> any BoundStatement {
        statement(of: query)
    }

    private func statement(of query: Query) -> ServerStatement {
        if let known = statements[ObjectIdentifier(query)] { return known }
        let made = ServerStatement(
            ServerQuery.text(of: query, schema: schema), name: "sluice_\(statements.count)",
            of: self)
        statements[ObjectIdentifier(query)] = made
        queries.append(query)
        return made
    }

    /// Keeps what is named by its identity alive.
    private var queries: [Query] = []

    /// What a transaction that has not begun yet will see is not known.
    func scenery() -> Int64? { isBeginDue ? nil : answers.knownScenery }

    func many(_ query: Query, _ numbers: [Int64]) -> (any BoundStatement)? {
        if numbers.isEmpty { return nil }
        let statement = statement(of: query)
        statement.bind(numbers)
        return statement
    }

    /// Sends a change, which is one that a test may let fail.
    func change(
        _ statement: ServerStatement, _ values: [ServerValue]
    ) throws(QueueError) {
        do {
            try faults?.step()
        } catch {
            if changeFailure == nil { changeFailure = error }
            throw error
        }
        totalChanges += 1
        answers.forget(changedBy: statement)
        try send(changes.add(statement, values))
    }

    private func send(_ batches: [ServerChanges.Batch]) throws(QueueError) {
        for batch in batches {
            try ask { link throws(PostgresError) in
                for (sql, name, values) in batch.messages {
                    try link.send(sql, values, name: isPooled ? nil : name)
                }
            }
        }
    }

    /// Sends what was kept back.
    private func sendAll() throws(QueueError) { try send(changes.take()) }

    func rows(
        _ statement: ServerStatement, _ values: [ServerValue]
    ) throws(QueueError) -> PostgresRows {
        if isBeginDue { return try firstRows(statement, values) }
        if let known = answers.answer(to: statement, values) { return known }
        try send(changes.take(askedBy: statement))
        let rows = try ask { link throws(PostgresError) in
            try link.rows(
                statement.sql, PostgresValues(row: values), name: isPooled ? nil : statement.name)
        }
        answers.keep(rows, of: statement, values)
        return rows
    }

    /// Begins a transaction that reads together with its first question. A link that was lost while
    /// it rested is made anew.
    private func firstRows(
        _ statement: ServerStatement, _ values: [ServerValue]
    ) throws(QueueError) -> PostgresRows {
        do {
            return try begin(asking: statement, values)
        } catch {
            guard link == nil else { throw error }
            try connect()
            isInTransaction = true
            return try begin(asking: statement, values)
        }
    }

    private func begin(
        asking statement: ServerStatement, _ values: [ServerValue]
    ) throws(QueueError) -> PostgresRows {
        // Also where its first question fails it has begun, and is to be ended.
        isBeginDue = false
        let found = try ask { link throws(PostgresError) in
            try link.send("BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            if isPooled { try link.send(words.limits) }
            try link.send(words.sceneryNumber, name: isPooled ? nil : "scenery")
            try link.send(
                statement.sql, PostgresValues(row: values), name: isPooled ? nil : statement.name)
            return try link.rowsOfAll()
        }
        guard found.count >= 2, let rows = found.last else { throw endedTransaction }
        let number = found[found.count - 2]
        answers.seeScenery(number.count == 1 ? number.integer(0, 0) : 0)
        answers.keep(rows, of: statement, values)
        return rows
    }

    /// The rows of a statement that is asked once.
    func rows(once sql: String) throws(QueueError) -> PostgresRows {
        try sendAll()
        return try ask { link throws(PostgresError) in try link.rows(sql) }
    }

    /// Runs statements that bind nothing and give nothing.
    func execute(_ statements: String...) throws(QueueError) { try execute(statements) }

    /// Runs statements that bind nothing and give nothing.
    func execute(_ statements: [String]) throws(QueueError) {
        try sendAll()
        try ask { link throws(PostgresError) in
            for statement in statements { try link.send(statement) }
            try link.settle()
        }
    }

    private func ask<Value>(
        _ body: (PostgresConnection) throws(PostgresError) -> Value
    ) throws(QueueError) -> Value {
        guard let link else { throw endedTransaction }
        do {
            return try body(link)
        } catch {
            throw note(error, link)
        }
    }

    /// A statement that fails takes its transaction with it, whatever its body makes of that.
    private func note(_ error: PostgresError, _ link: PostgresConnection) -> QueueError {
        var told = failure.error(error)
        if error.code == ServerLimits.lockedTooLong,
            let blocker = ServerBlocker(settings, schema: schema, waiter: link.backend)
        {
            told = failure.locked(by: blocker)
        }
        if changeFailure == nil { changeFailure = told }
        if !link.isOpen || error.origin == .lost {
            loss = told
            disconnect()
        }
        return told
    }

    func settle() throws(QueueError) {
        try sendAll()
        try ask { link throws(PostgresError) in try link.settle() }
        if let changeFailure { throw changeFailure }
    }

    func clearChangeFailure() { changeFailure = nil }
}

/// Transactions. What holds for one is set for the whole link, or in each transaction behind a
/// pooler, where nothing else stays.
extension ServerConnection {
    /// Tells the link what its commits survive, where it does not know.
    private func setDurability() throws(QueueError) {
        guard !isPooled, keepsDurable ?? false != isDurable else { return }
        try ask { link throws(PostgresError) in
            try link.send(isDurable ? words.beDurable : "RESET synchronous_commit")
            // What is set in a transaction ends with it, so this one is of its own.
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
        (isInTransaction, isBeginDue) = (true, true)
    }

    /// Begins a transaction in which nobody else writes. A link that was lost while nobody used it
    /// is made anew.
    func beginWriting() throws(QueueError) {
        let isFresh = link == nil
        do {
            try connect()
            try takeTurn()
        } catch {
            guard link == nil, !isFresh else { throw error }
            try connect()
            try takeTurn()
        }
    }

    /// Waits in a queue until no other process writes, looks that the tables are still those of
    /// this version, and reads the counters.
    private func takeTurn() throws(QueueError) {
        changeFailure = nil
        loss = nil
        changes = ServerChanges()
        answers.begin()
        (isInTransaction, isBeginDue) = (true, false)
        do throws(QueueError) {
            try setDurability()
            let found = try ask { link throws(PostgresError) in
                try link.send("BEGIN")
                if isPooled { try link.send(words.limits) }
                if isPooled, isDurable { try link.send(words.beDurable) }
                try link.send(words.takeTurn, name: isPooled ? nil : "turn")
                try link.send(words.numbers, name: isPooled ? nil : "numbers")
                return try link.rowsOfAll()
            }
            guard let rows = found.last else { throw endedTransaction }
            note(numbers: rows)
        } catch {
            if isInTransaction { try? control(.rollback) }
            throw error
        }
    }

    private func note(numbers rows: PostgresRows) {
        let place = (0..<rows.count).first { rows.text($0, 0) == ServerWords.sceneryName }
        answers.seeScenery(place.map { rows.integer($0, 1) } ?? 0)
        answers.keep(rows, of: statement(of: Counters.all), [])
    }

    func control(_ step: TransactionStep) throws(QueueError) {
        if step == .rollback {
            isInTransaction = false
            if isBeginDue || link == nil { return isBeginDue = false }
        }
        switch step {
        case .rollback, .rollbackToSavepoint:
            changes = ServerChanges()
            answers.forgetOwn()
        case .savepoint, .release: try sendAll()
        }
        try ask { link throws(PostgresError) in
            // What failed before must not be taken for the failure of this.
            if step == .rollback || step == .rollbackToSavepoint {
                do { try link.settle() } catch {}
            }
            switch step {
            case .rollback:
                // Nobody waits for what cannot fail but with the link.
                try link.send("ROLLBACK")
                return try link.sendOff()
            // What follows tells of a failure.
            case .savepoint: return try link.send("SAVEPOINT body")
            case .release: return try link.send("RELEASE body")
            case .rollbackToSavepoint: try link.send("ROLLBACK TO body")
            }
            try link.settle()
        }
    }

    func commit(keeping hasChanges: Bool) throws(QueueError) {
        if hasChanges { try faults?.step() }
        try sendAll()
        try ask { link throws(PostgresError) in
            if answers.hasNewScenery { try link.send(words.newScenery) }
            if hasChanges { try link.send("NOTIFY \(schema)") }
            try link.send("COMMIT")
            try link.settle()
        }
        isInTransaction = false
        if hasChanges { faults?.committed() }
    }

    func set(_ durability: StoreRecord.Durability) { isDurable = durability == .full }

    func integrityProblems() -> [String] { [] }
}

/// The names by which processes meet in a database.
enum ServerLocks {
    /// The schema of a store's tables, and the channel on which a commit is told.
    static let schema = "sluice"
    /// Whoever writes holds this one: the first of two numbers of an advisory lock, the second of
    /// which stands for the schema.
    static let writers: Int32 = 0x736C_6301
    /// Whoever makes or changes the tables holds this one.
    static let migration: Int32 = 0x736C_6302

    /// Waits for a lock, to the end of the transaction.
    static func take(_ lock: Int32, _ schema: String) -> String {
        "pg_advisory_xact_lock(\(lock), hashtext('\(schema)'))"
    }
}
