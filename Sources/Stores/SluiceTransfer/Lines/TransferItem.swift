package import SluiceControl
package import SluiceModel
package import SluiceStore

/// A queue as it travels: so that tasks come into one that is worked as theirs was.
package struct TransferQueue: Hashable, Sendable {
    package var name: String
    package var settings: QueueSettings
    /// Its own pauses (D1).
    package var pauses: [Pause]

    package init(name: String, settings: QueueSettings, pauses: [Pause] = []) {
        self.name = name
        self.settings = settings
        self.pauses = pauses
    }
}

package struct TransferTask: Hashable, Sendable {
    /// The task, with what an import brings in.
    package var task: IncomingTask
    /// The line number, for an item of a file.
    package var line: Int?
    /// Whether the SDK's files hold more about it than the SDK's format does.
    package var hasUnknownKeys = false
    /// Whether its recorded runner is dead (A2).
    package var isLost = false

    package init(_ task: IncomingTask, line: Int? = nil) {
        self.task = task
        self.line = line
    }

    /// The item's name in a sentence: its line or its number.
    package var place: String { line.map { "line \($0)" } ?? "#\(task.task.id)" }
}

/// The items of a source in order: a queue before its tasks, and tasks in order of arrival.
package enum TransferItem: Hashable, Sendable {
    case queue(TransferQueue)
    case task(TransferTask)
}

/// A source of tasks: a store, or a file of lines.
package protocol TransferSource: Sendable {
    /// Its name, for sentences.
    var name: String { get }
    /// The format: `sqlite`, `folder`, `lines`.
    var format: TransferFormat { get }
    /// The identity of the store that it is; nil for a file.
    func identity() throws -> String?
    /// The number of tasks, as far as known in advance.
    func estimate() throws -> Int
    /// The same source for a store with this payload limit.
    func allowing(payloadBytes: Int) -> any TransferSource
    /// Passes every item to `take` until it returns stop. Callers may call it several times.
    func read(_ take: @escaping (TransferItem) throws -> BulkNext) throws
}

/// A new target for tasks: a file, a store or a folder. Other programs see nothing of it before
/// `finish`. After `cancel` nothing remains.
package protocol TransferSink: AnyObject {
    var format: TransferFormat { get }
    func add(_ item: TransferItem) throws
    /// Gives it its name.
    func finish() throws
    /// Removes everything written.
    func cancel()
}
