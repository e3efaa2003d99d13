package import SluiceControl
package import SluiceModel
package import SluiceStore

/// A queue as it travels: so that tasks come into one that is worked as theirs was.
package struct TransferQueue: Hashable, Sendable {
    /// The name.
    package var name: String
    /// The settings.
    package var settings: QueueSettings
    /// Its own pauses (D1).
    package var pauses: [Pause]

    /// A queue with its parts.
    package init(name: String, settings: QueueSettings, pauses: [Pause] = []) {
        self.name = name
        self.settings = settings
        self.pauses = pauses
    }
}

/// A task as it travels.
package struct TransferTask: Hashable, Sendable {
    /// The task, with what an import brings in.
    package var task: IncomingTask
    /// The number of its line, where it stands in one.
    package var line: Int?
    /// Whether the SDK's files hold more about it than the SDK's format does.
    package var hasUnknownKeys = false
    /// Whether the runner died that the store says runs it (A2).
    package var isLost = false

    /// A task on its way.
    package init(_ task: IncomingTask, line: Int? = nil) {
        self.task = task
        self.line = line
    }

    /// What names it in a sentence: its line, or its number.
    package var place: String { line.map { "line \($0)" } ?? "#\(task.task.id)" }
}

/// What comes out of a source, one after the other: a queue before its tasks, and these in the
/// order of their arrival.
package enum TransferItem: Hashable, Sendable {
    case queue(TransferQueue)
    case task(TransferTask)
}

/// Where tasks come from: a store, or a file of lines.
package protocol TransferSource: Sendable {
    /// Its name, for sentences.
    var name: String { get }
    /// The format: `sqlite`, `folder`, `lines`.
    var format: TransferFormat { get }
    /// The identity of the store that it is; nil for a file.
    func identity() throws -> String?
    /// How many tasks there are, as far as that is known beforehand.
    func estimate() throws -> Int
    /// The same for a store that takes payloads of so many bytes.
    func allowing(payloadBytes: Int) -> any TransferSource
    /// Gives every item, until `take` says stop. May be called again.
    func read(_ take: @escaping (TransferItem) throws -> BulkNext) throws
}

/// Where tasks go to that makes something new: a file, a store or a folder. Nothing of it is seen
/// before `finish`, and nothing is left of it after `cancel`.
package protocol TransferSink: AnyObject {
    /// The format.
    var format: TransferFormat { get }
    /// Takes an item.
    func add(_ item: TransferItem) throws
    /// Gives it its name.
    func finish() throws
    /// Leaves nothing behind.
    func cancel()
}
