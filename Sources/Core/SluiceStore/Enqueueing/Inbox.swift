package import SluiceModel

/// One row that an application put into its store by SQL: a task that comes in, or one that goes
/// (T4).
package struct InboxEntry: Hashable, Sendable {
    /// Where the row lies; the raw value is what all engines call the table, behind a prefix or a
    /// schema of their own.
    package enum Table: String, Hashable, Sendable {
        case inbox
        case removed
    }
    /// What the row says.
    package enum Content: Hashable, Sendable {
        /// A task for a queue.
        case task(queue: String, EnqueueRequest)
        /// A task that goes, by its number.
        case removal(TaskID)
        /// The waiting and the running task of a unique key go (T5), and so does what was refused
        /// with that key.
        case keyRemoval(queue: String, type: String, key: String)
        /// What cannot be read, and why.
        case unreadable(QueueError)
    }
    /// The table.
    package var table: Table
    /// The row's number in it.
    package var row: Int64
    /// What it says.
    package var content: Content

    /// A row with what it says.
    package init(_ table: Table, row: Int64, _ content: Content) {
        self.table = table
        self.row = row
        self.content = content
    }
}

/// What lies in a store that nobody has taken in yet, or that cannot be taken in (T4).
package struct InboxSummary: Hashable, Sendable {
    /// A row that could not be taken in; it stays until somebody mends or deletes it.
    package struct Refusal: Hashable, Sendable {
        /// The table, as statements of an application name it.
        package var table: String
        /// The row's number in it.
        package var row: Int64
        /// The queue that it names.
        package var queue: String?
        /// Why.
        package var error: String

        /// A row with why it was refused.
        package init(table: String, row: Int64, queue: String?, error: String) {
            self.table = table
            self.row = row
            self.queue = queue
            self.error = error
        }
    }
    /// Rows are counted up to here, refused ones read up to a hundredth of it (K6).
    package static let limit = 10_000

    /// How many tasks are to come in, by queue.
    package var tasks: [String: Int] = [:]
    /// How many rows say that a task goes.
    package var removals = 0
    /// The rows that were refused, the oldest first.
    package var refused: [Refusal] = []

    /// An empty inbox.
    package init() {}

    /// Whether there may be more rows of tasks than were counted.
    package var isCapped: Bool { tasks.values.reduce(0, +) >= Self.limit }

    /// A count of rows as a sentence says it: `10,000+` where no more were counted.
    package static func words(_ count: Int, isCapped: Bool) -> String {
        NumberText.grouped(count) + (isCapped ? "+" : "")
    }

    /// Whether there is something to take in.
    package var isFresh: Bool { removals > 0 || !tasks.isEmpty }
}

/// What the inbox of a store tells to which an application writes by SQL as well.
package protocol InboxReader {
    /// What nobody has taken in, and what cannot be taken in.
    func inboxSummary() throws -> InboxSummary
    /// Whether there is something to take in.
    func hasFreshRows() throws -> Bool
    /// What statements of an application call a table.
    func name(of table: InboxEntry.Table) -> String
}

/// What the inbox of such a store is told.
package protocol InboxWriter: StoreWriter, InboxReader {
    /// The first rows that nobody looked at yet, in the order of their arrival; at most about
    /// `limit`, and none only where there are none.
    func inboxEntries(limit: Int) throws -> [InboxEntry]
    /// Takes a row out of its table.
    func removeInboxRow(_ entry: InboxEntry) throws
    /// Leaves a row where it is, marked with why it cannot be taken in.
    func refuseInboxRow(_ entry: InboxEntry, _ error: String) throws
    /// Takes out the rows that were refused although they asked for a task with this unique key.
    func removeRefusedRows(queue: String, type: String, key: String) throws
    /// Makes refused rows as if nobody had looked at them.
    func reopenInbox() throws
}
