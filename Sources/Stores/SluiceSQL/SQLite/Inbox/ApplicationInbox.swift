public import SluiceModel
public import SluiceStore

/// The inbox of a store, filled by an application on its own connection to the same file. Its
/// enqueues and removals belong to the open transaction there; a rollback discards them (T4).
///
/// Other ways to write the same rows are equally valid, including triggers: docs/library.md lists
/// the columns. Use it from one thread at a time, like the connection.
public struct ApplicationInbox {
    private static let columns = [
        "queue", "type", "payload", "priority", "sort_key", "group_start", "group_members",
        "not_before", "attempt_limit", "expires_at", "requires", "required", "unique_key",
        "unique_policy", "label", "session", "client_string",
    ]
    private static let insert = Query(.insert(into: "sluice_inbox", columns))
    /// A column that tables of older versions do not have.
    private static let insertHeaders = Query(
        .insert(into: "sluice_inbox", columns + ["headers"]))
    private static let removeTask = Query("INSERT INTO sluice_removed (task) VALUES (?)")
    private static let removeKey = Query(
        "INSERT INTO sluice_removed (queue, type, unique_key) VALUES (?, ?, ?)")

    private let connection: Connection

    /// The inbox of an open `sqlite3 *` of the application, which must outlive this value. A
    /// `QueueClient` or `sluice init` must have created its tables.
    public init(handle: OpaquePointer) { connection = Connection(borrowing: handle) }

    /// Puts a task into the inbox; throws for names and limits that no queue allows (T6).
    public func enqueue(_ request: EnqueueRequest, to queue: String) throws(QueueError) {
        try Names.check(queue, of: "queue")
        var anyQueue = QueueSettings()
        anyQueue.maximumPayloadBytes = .max
        try request.check(anyQueue, queue: queue)
        let hasHeaders = !request.headers.isEmpty
        let row = try connection.prepare(hasHeaders ? Self.insertHeaders : Self.insert)
        row.bind(queue)
        row.bind(request.type)
        row.bind(request.payload)
        row.bind(request.ownPriority)
        switch request.sortKey {
        case .integer(let number): row.bind(number)
        case .text(let text): row.bind(text)
        case nil: row.bindNull()
        }
        row.bind(request.groupStart)
        row.bind(JSONValue(request.groupMembers).text)
        row.bind(request.notBefore)
        row.bind(request.attemptLimit)
        row.bind(request.expiresAt)
        row.bind(JSONValue(request.requires.map(\.rawValue).sorted()).text)
        row.bind(request.isRequired)
        row.bind(request.uniqueKey)
        row.bind(request.uniquePolicy.rawValue)
        row.bind(request.label)
        row.bind(request.session)
        row.bind(request.clientString?.bytes)
        if hasHeaders { row.bind(TaskHeaders.json(request.headers).text) }
        try row.run()
    }

    /// Removes a task by its number, like the verb `delete`. A running task gets a stop request.
    public func remove(_ task: TaskID) throws(QueueError) {
        let row = try connection.prepare(Self.removeTask)
        row.bind(task)
        try row.run()
    }

    /// Removes the waiting and the running task with a unique key.
    public func remove(
        queue: String, type: String, uniqueKey: String
    ) throws(QueueError) {
        let row = try connection.prepare(Self.removeKey)
        row.bind(queue)
        row.bind(type)
        row.bind(uniqueKey)
        try row.run()
    }
}
