import SluiceModel
import SluiceStore
import SluiceSystem

/// A connection to the database of a store: a link to the server, made anew after it was lost.
final class ServerConnection: TableConnection {
    let settings: PostgresSettings
    let schema: String
    let faults: WriteFaults?
    /// Updated with the server's clock on every connection.
    private let clock: StoreClock?
    /// Records the server processes of this store's links.
    private let own: OwnBackends?
    var link: PostgresConnection?
    private var statements: [ObjectIdentifier: ServerStatement] = [:]
    /// Whether a pooler is in between. Each transaction may then use another server process,
    /// without the earlier prepared statements.
    private(set) var isPooled = false
    /// Whether commits must survive a power cut, also where the server's own setting is less.
    var isDurable = true
    /// Whether others may continue while a commit waits for the disk.
    var leavesDiskBehind = false

    var changeFailure: QueueError?
    var isInTransaction = false
    var totalChanges: Int64 = 0
    var loss: QueueError?
    /// Whether the last link was lost to a server that a new one would wait for in vain (K8).
    private(set) var isServerSilent = false
    /// The identity of the opened store, once known.
    var identity: String?
    var words: ServerCommands {
        ServerCommands(schema: schema, isPooled: isPooled, identity: identity)
    }
    var changes = ServerChanges()
    /// The changes of earlier bodies, while one of several runs in the transaction.
    var shared: SharedBody?
    var answers = ServerAnswers()
    var prefetch = ServerPrefetch()
    /// The queries that the bodies of the next write announced.
    var expected: [ServerPrefetch.Question] = []
    /// Questions of the running write that were announced, so that they are no habit of the link.
    var announced: Set<ServerPrefetch.Question> = []
    /// Whether the running write has asked announced questions once more.
    var hasAskedAgain = false
    /// The number of questions that came with the beginnings of its writes.
    var readsAhead = 0
    /// Whether a transaction that reads is to begin with its first question.
    var isBeginDue = false
    var isTurnDue = false
    /// Gets each commit and each reading transaction.
    var commitCount: CommitCount?
    /// The round trips of the link when a transaction that reads began; nil in one that writes.
    var tripsAtBegin: Int?
    /// Whether commits of the link survive a power cut, by its last setting.
    var keepsDurable: Bool?

    /// A connection that connects on first use.
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

    var hasInbox: Bool { true }

    var tablePrefix: String { "\(schema)." }

    /// The liveness of processes on other machines is known too late to hand over tasks.
    var hasOffers: Bool { false }

    var isRemote: Bool { true }

    var endedTransaction: QueueError {
        loss ?? failure.error(PostgresError(.lost, ""))
    }

    /// The connected link, for details of the server.
    var server: PostgresConnection? { link }

    /// Connects unless a link is open.
    func connect() throws(QueueError) {
        if let link, link.isOpen { return }
        disconnect()
        do {
            let made = try PostgresConnection(settings)
            let begin = clock?.moment ?? 0
            let seen = try made.rows(
                "SELECT pg_catalog.pg_backend_pid(), \(Self.time), "
                    + ServerCommands.mayAwaitDisk)
            clock?.record(shown: seen.integer(0, 1), between: begin, and: clock?.moment ?? 0)
            isPooled = seen.integer(0, 0) != Int64(made.backend)
            leavesDiskBehind = seen.integer(0, 2) != 0
            keepsDurable = nil
            own?.record(made.backend)
            if !isPooled {
                try made.send(words.limits)
                try made.sendOff()
            }
            (link, isServerSilent) = (made, false)
        } catch {
            throw failure.error(error)
        }
    }

    /// The server's clock in milliseconds since 1970.
    private static let time =
        "(extract(epoch FROM pg_catalog.clock_timestamp()) OPERATOR(pg_catalog.*) 1000)::bigint"

    /// Asks once more what the server's clock shows.
    func readClock() throws(QueueError) {
        guard let clock else { return }
        let begin = clock.moment
        let seen = try rows(once: "SELECT \(Self.time)")
        clock.record(shown: seen.integer(0, 0), between: begin, and: clock.moment)
    }

    /// Gives the link up.
    func disconnect() {
        link = nil
        (changes, shared) = (ServerChanges(), nil)
        prefetch.forget()
        (isInTransaction, isBeginDue, isTurnDue) = (false, false, false)
    }

    func prepare(_ query: Query) throws(QueueError) -> any BoundStatement {
        statement(of: query)
    }

    func statement(of query: Query) -> ServerStatement {
        if let known = statements[ObjectIdentifier(query)] { return known }
        let made = ServerStatement(
            ServerQuery.text(of: query, schema: schema), query.change,
            isConfiguration: query.isConfiguration, name: "sluice_\(statements.count)", of: self)
        statements[ObjectIdentifier(query)] = made
        queries.append(query)
        return made
    }

    /// Keeps queries alive that are identified by object.
    private var queries: [Query] = []

    /// Begins the transaction if it has not begun yet.
    func configuration() throws(QueueError) -> Int64? {
        if isBeginDue { _ = try rows(statement(of: Self.nothing), []) }
        return answers.knownScenery
    }

    private static let nothing = Query("SELECT 1")

    func nextConfiguration() throws(QueueError) -> Int64? {
        try acquireTurn()
        return answers.configurationVersion.map { $0 + 1 }
    }

    func many(_ query: Query, columns: [[Int64]]) -> (any BoundStatement)? {
        if columns.contains(where: \.isEmpty) { return nil }
        let statement = statement(of: query)
        for column in columns { statement.bind(column) }
        return statement
    }

    func together(
        _ questions: [Question]
    ) throws(QueueError) -> [any BoundStatement]? {
        try acquireTurn()
        if isBeginDue { _ = try rows(statement(of: Self.nothing), []) }
        let asked = try questions.map { query, bind throws(QueueError) in
            let statement = statement(of: query)
            bind(statement)
            defer { statement.reset() }
            try send(try sendChanges(askedBy: statement))
            return (statement: statement, values: PostgresValues(row: statement.values))
        }
        let rows = try ask { link throws(PostgresError) in
            for (statement, values) in asked {
                try link.send(statement.sql, values, name: name(statement.name))
            }
            return try link.rowsOfAll()
        }
        guard rows.count >= asked.count else { throw endedTransaction }
        return zip(asked, rows.suffix(asked.count)).map { question, rows in
            ServerStatement(answering: question.statement, with: rows, of: self)
        }
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
        try acquireTurn()
        totalChanges += 1
        answers.forget(changedBy: statement)
        let due = changes.add(statement, values)
        guard !due.isEmpty else { return }
        try holdPlace()
        try send(due)
        // It works on these while the next ones are thought of.
        try ask { link throws(PostgresError) in try link.push() }
    }

    func send(_ batches: [ServerChanges.Batch]) throws(QueueError) {
        for batch in batches {
            try ask { link throws(PostgresError) in
                for (sql, name, values) in batch.messages {
                    try link.send(sql, values, name: self.name(name))
                }
            }
        }
    }

    func sendAll() throws(QueueError) {
        if !changes.isEmpty { try holdPlace() }
        try send((shared?.before.take() ?? []) + changes.take())
    }

    func rows(
        _ statement: ServerStatement, _ values: [ServerValue]
    ) throws(QueueError) -> PostgresRows {
        if isBeginDue { return try firstRows(statement, values) }
        if isTurnDue, let rows = try firstOfTurn(statement, values) { return rows }
        let known = answers.answer(to: statement, values)
        // The counters come with the turn.
        if statement.holdsStill, !statement.isAboutScenery, answers.isUntouched(statement),
            statement !== self.statement(of: Counters.all),
            !isAnnounced(statement, values)
        {
            prefetch.record(statement, values)
        }
        if let known { return known }
        let again = announcedAgain(with: statement, values)
        guard again.isEmpty else { return try rows(statement, values, and: again) }
        let next = try sendChanges(askedBy: statement)
            .flatMap(\.messages).map { ($0.sql, $0.values, name($0.name)) }
        let rows = try ask { link throws(PostgresError) in
            try link.rows(
                statement.sql, PostgresValues(row: values), name: name(statement.name), next: next)
        }
        answers.keep(rows, of: statement, values)
        return rows
    }

    func isAnnounced(_ statement: ServerStatement, _ values: [ServerValue]) -> Bool {
        !announced.isEmpty
            && announced.contains(ServerPrefetch.Question(statement: statement, values: values))
    }

    /// Takes the turn together with a query, unless it is about the configuration, which is usually
    /// cached.
    private func firstOfTurn(
        _ statement: ServerStatement, _ values: [ServerValue]
    ) throws(QueueError) -> PostgresRows? {
        if statement.isAboutScenery || statement === self.statement(of: Counters.all) {
            return try acquireTurn()
        }
        return try acquireTurn(
            asking: ServerPrefetch.Question(statement: statement, values: values))
    }

    /// Begins a reading transaction together with its first query. Reconnects a link that was lost
    /// while idle.
    private func firstRows(
        _ statement: ServerStatement, _ values: [ServerValue]
    ) throws(QueueError) -> PostgresRows {
        do {
            return try begin(asking: statement, values)
        } catch {
            guard link == nil, !isServerSilent else { throw error }
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
        let first = ServerPrefetch.Question(statement: statement, values: values)
        let foreseen = prefetch.begin(with: statement).filter { $0 != first }
        let found = try ask { link throws(PostgresError) in
            try link.send(
                "BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY", name: name("look"))
            if isPooled { try link.send(words.limits) }
            try link.send(words.configurationVersion, name: name("scenery"))
            try link.send(
                statement.sql, PostgresValues(row: values), name: name(statement.name))
            try send(foreseen, on: link)
            return try link.rowsOfAll()
        }
        let place = found.count - foreseen.count - 1
        guard place >= 1 else { throw endedTransaction }
        let number = found[place - 1]
        answers.seeConfiguration(number.count == 1 ? number.integer(0, 0) : 0)
        answers.keep(found[place], of: statement, values)
        keep(found.dropFirst(place + 1), of: foreseen)
        if statement.holdsStill, !statement.isAboutScenery { prefetch.record(statement, values) }
        return found[place]
    }

    /// Sends the queries expected at the start of a transaction.
    func send(
        _ questions: [ServerPrefetch.Question], on link: PostgresConnection
    ) throws(PostgresError) {
        for question in questions {
            try link.send(
                question.statement.sql, PostgresValues(row: question.values),
                name: name(question.statement.name))
        }
    }

    /// Caches the results of these queries.
    func keep(
        _ found: ArraySlice<PostgresRows>, of questions: [ServerPrefetch.Question]
    ) {
        for (rows, question) in zip(found, questions) {
            answers.keep(rows, of: question.statement, question.values, isForeseen: true)
        }
    }

    func ask<Value>(
        _ body: (PostgresConnection) throws(PostgresError) -> Value
    ) throws(QueueError) -> Value {
        guard let link else { throw endedTransaction }
        do {
            return try body(link)
        } catch {
            throw record(error, link)
        }
    }

    /// A failed statement aborts its transaction, even if its body catches the error.
    private func record(_ error: PostgresError, _ link: PostgresConnection) -> QueueError {
        var told = failure.error(error)
        if error.code == ServerLimits.lockedTooLong,
            let blocker = ServerBlocker(settings, schema: schema, waiter: link.backend)
        {
            told = failure.locked(by: blocker)
        }
        if changeFailure == nil { changeFailure = told }
        if case .statement(let code) = error.origin, isInTransaction {
            shared?.failure = told
            isOwnFailure = ServerLimits.isOwnFailure(code)
        }
        if !link.isOpen || error.origin == .lost {
            loss = told
            isServerSilent = link.isSilent
            disconnect()
        }
        return told
    }

    func settle() throws(QueueError) {
        if isTurnDue { return }
        if let shared, !shared.isHeld {
            if let changeFailure { throw changeFailure }
            return
        }
        try sendAll()
        try ask { link throws(PostgresError) in try link.settle() }
        if let changeFailure { throw changeFailure }
    }

    func clearChangeFailure() { changeFailure = nil }

    /// Whether the transaction was undone by a change of one body that alone would spoil no other.
    var isOwnFailure = false
}
