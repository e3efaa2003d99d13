import Sluice
import SluiceCSQLite

/// A message on its way.
struct SendMessage: TaskPayload {
    static let taskType = "send"
    var chat: String
    var text: String
}

/// A chat with a separate database. One transaction writes a message and the task that sends it.
/// Each conversation is a strict queue, and a deleted message is not sent.
final class Chat {
    private let database: OpaquePointer
    private let outbox: ApplicationInbox

    /// Opened on the same file, `sluice` creates its tables there.
    init(_ sluice: QueueClient) throws {
        var handle: OpaquePointer?
        guard sqlite3_open(sluice.storeName, &handle) == SQLITE_OK, let handle else {
            throw ChatError(said: "the chat's database cannot be opened")
        }
        database = handle
        outbox = ApplicationInbox(handle: handle)
        sqlite3_busy_timeout(database, 5000)
        try run("CREATE TABLE IF NOT EXISTS message (id INTEGER PRIMARY KEY, chat TEXT, text TEXT)")
        try run(
            """
            CREATE TRIGGER IF NOT EXISTS message_gone AFTER DELETE ON message BEGIN
                INSERT INTO sluice_removed (queue, type, unique_key)
                VALUES ('chat-' || old.chat, 'send', old.id);
            END
            """)
    }

    deinit { sqlite3_close(database) }

    /// Afterwards both exist, or none.
    func say(_ text: String, in chat: String) throws {
        try run("BEGIN IMMEDIATE")
        do {
            try run("INSERT INTO message (chat, text) VALUES (?, ?)", chat, text)
            let message = sqlite3_last_insert_rowid(database)
            try outbox.enqueue(SendMessage(chat: chat, text: text), to: "chat-\(chat)") {
                $0.uniqueKey = "\(message)"
            }
            guard !text.isEmpty else { throw ChatError(said: "a message without a word") }
            try run("COMMIT")
        } catch {
            try run("ROLLBACK")
            throw error
        }
    }

    /// The trigger takes its task away, in the same transaction.
    func revert(_ text: String) throws { try run("DELETE FROM message WHERE text = ?", text) }

    private func run(_ sql: String, _ values: String...) throws {
        var statement: OpaquePointer?
        defer { sqlite3_finalize(statement) }
        var code = sqlite3_prepare_v2(database, sql, -1, &statement, nil)
        for (index, value) in values.enumerated() {
            csq_bind_text(statement, Int32(index + 1), value, Int32(value.utf8.count))
        }
        if code == SQLITE_OK { code = sqlite3_step(statement) }
        guard code == SQLITE_DONE else {
            throw ChatError(said: String(cString: sqlite3_errmsg(database)))
        }
    }
}

struct ChatError: Error { var said: String }

/// The chat's worker: one handler for all conversations, present and future.
func sendMessages(
    of sluice: QueueClient, by send: @escaping @Sendable (SendMessage) throws -> Void
) throws {
    try sluice.handle(SendMessage.self, queuePrefix: "chat-") { message, _ in try send(message) }
}
