package import SluiceModel

/// One row that an application put into its store by SQL: a task that comes in, or one that goes
/// (T4).
package struct InboxEntry: Hashable, Sendable {
    /// The table of the row. The raw value is the table's name in all engines, after a prefix or in
    /// a schema.
    package enum Table: String, Hashable, Sendable {
        case inbox
        case removed
    }
    package enum Content: Hashable, Sendable {
        case task(queue: String, EnqueueRequest)
        /// A task that goes, by its number.
        case removal(TaskID)
        /// Removes the waiting and the running task of a unique key (T5), and refused rows with
        /// that key.
        case keyRemoval(queue: String, type: String, key: String)
        case unreadable(QueueError)
    }
    package var table: Table
    /// The row's number in it.
    package var row: Int64
    package var content: Content

    package init(_ table: Table, row: Int64, _ content: Content) {
        self.table = table
        self.row = row
        self.content = content
    }
}

/// The rows in the inbox of a store that are not taken in yet, or cannot be (T4).
package struct InboxSummary: Hashable, Sendable {
    /// A refused row. It stays until a person corrects or deletes it.
    package struct Refusal: Hashable, Sendable {
        /// The table, as statements of an application name it.
        package var table: String
        /// The row's number in it.
        package var row: Int64
        package var queue: String?
        package var error: String

        package init(table: String, row: Int64, queue: String?, error: String) {
            self.table = table
            self.row = row
            self.queue = queue
            self.error = error
        }
    }
    /// Rows are counted up to here (K6).
    package static let limit = 10_000
    /// The most refused rows that are read.
    package static let refusedLimit = 100

    /// How many tasks are to come in, by queue.
    package var tasks: [String: Int] = [:]
    /// How many rows say that a task goes.
    package var removals = 0
    /// The refused rows, oldest first.
    package var refused: [Refusal] = []
    /// Whether a table has more refused rows than were read.
    package var hasMoreRefused = false

    /// An empty inbox.
    package init() {}

    /// Whether the table may hold more task rows than the count shows.
    package var isCapped: Bool { tasks.values.reduce(0, +) >= Self.limit }

    /// Whether the table may hold more removals than the count shows.
    package var isRemovalsCapped: Bool { removals >= Self.limit }

    /// The number of refused rows: `100+` if there are more.
    package var refusedWords: String { Self.words(refused.count, isCapped: hasMoreRefused) }

    /// The refused rows, one sentence each, and whether there are more.
    package var sentences: [String] {
        var sentences = refused.map { row in
            let queue = row.queue.map { " (queue \($0))" } ?? ""
            return "row \(row.row) of \(row.table)\(queue) was refused: \(row.error)"
        }
        if hasMoreRefused {
            let tables = Set(refused.map(\.table)).sorted().joined(separator: " or ")
            sentences.append(
                "more than these \(refused.count) rows were refused: "
                    + "the error of each is in \(tables)")
        }
        return sentences
    }

    /// A count of rows in a sentence: `10,000+` if the count stopped there.
    package static func words(_ count: Int, isCapped: Bool) -> String {
        NumberText.grouped(count) + (isCapped ? "+" : "")
    }
}

/// The reads of the inbox, where applications write by SQL.
package protocol InboxReader {
    /// The rows not taken in yet, and the refused rows.
    func inboxSummary() throws -> InboxSummary
    /// Whether there is something to take in.
    func hasFreshRows() throws -> Bool
    /// The name of a table in an application's statements.
    func name(of table: InboxEntry.Table) -> String
}

/// The changes to the inbox of such a store.
package protocol InboxWriter: StoreWriter, InboxReader {
    /// The first new rows in the order of arrival, about `limit` at most. Empty only without new
    /// rows.
    func inboxEntries(limit: Int) throws -> [InboxEntry]
    /// Takes a row out of its table.
    func removeInboxRow(_ entry: InboxEntry) throws
    /// Leaves a row where it is, marked with why it cannot be taken in.
    func refuseInboxRow(_ entry: InboxEntry, _ error: String) throws
    /// Removes refused rows that requested a task with this unique key.
    func removeRefusedRows(queue: String, type: String, key: String) throws
    /// Resets refused rows to new.
    func reopenInbox() throws
}
