import SluiceModel
import SluiceTables

/// How the writer of a database takes its turn: the server keeps the queue of those who wait.
final class ServerWriteLock: WriteLock {
    private let connection: ServerConnection
    private let patience: ReconnectBackoff

    init(_ connection: ServerConnection, patience: ReconnectBackoff) {
        self.connection = connection
        self.patience = patience
    }

    func begin(_ session: WriteSession, isShared: Bool) throws(QueueError) {
        session.forget()
        try patience.attempt { () throws(QueueError) in try connection.beginWriting() }
    }

    /// It is waited for with the first question.
    var mayBeSharedLater: Bool { true }

    // The server tells of commits itself.
    func committed() {}

    func ended() {}
}
