import SluiceModel
import SluicePostgresClient
import SluiceTables

/// Bodies that share a transaction. Most of them do not query tables that they changed. The
/// connection buffers the changes of such a body and drops them to revert it. A body needs a
/// savepoint on the server only if its changes go there before it ends.
extension ServerConnection {
    /// A body that runs.
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

    /// Undoes the running body.
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
