import SluiceModel
import SluicePostgresClient
import SluiceTables

/// Bodies that share a transaction. Most of them change something and ask about nothing that they
/// changed: what such a one leaves is kept back beside what those before it left, and undone by
/// forgetting it. Only one whose changes have to go to the server before its end has its place held
/// there by a savepoint.
extension ServerConnection {
    /// A body that runs.
    struct SharedBody {
        /// What those before it left.
        var before: ServerChanges
        /// Whether the server holds the place at which it began.
        var isHeld = false
        /// What the server refused, and with it the whole transaction.
        var failure: QueueError?
    }

    /// Has the server hold the place at which the running body began: its changes follow.
    func holdPlace() throws(QueueError) {
        guard var body = shared, !body.isHeld else { return }
        let before = body.before.take()
        body.isHeld = true
        shared = body
        try send(before, then: "SAVEPOINT body")
    }

    /// Sends changes and a statement that gives no rows; what follows tells of a failure.
    func send(_ batches: [ServerChanges.Batch], then statement: String) throws(QueueError) {
        try send(batches)
        try ask { link throws(PostgresError) in try link.send(statement) }
    }

    /// Sends what was kept back of the tables that a question is about; gives what goes well with
    /// the question.
    func sendChanges(
        askedBy question: ServerStatement
    ) throws(QueueError) -> [ServerChanges.Batch] {
        let own = changes.take(askedBy: question)
        if !own.isEmpty { try holdPlace() }
        if shared?.isHeld == false {
            try send(shared?.before.take(askedBy: question) ?? [])
            return shared?.before.takeMany() ?? []
        }
        try send(own)
        return changes.takeMany()
    }

    /// The body is done: what it kept back joins that of those before it.
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
            // Without a place to go back to the others are undone with it.
            if let failure = body.failure { throw failure }
            return
        }
        try ask { link throws(PostgresError) in
            // What failed before must not be taken for the failure of this.
            do { try link.settle() } catch {}
            try link.send("ROLLBACK TO body")
            try link.settle()
        }
    }
}
