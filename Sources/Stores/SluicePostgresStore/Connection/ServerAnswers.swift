import SluicePostgresClient

/// Answers that hold still: those of a transaction for as long as it changes nothing that they are
/// about, and those about the few tables that hardly ever change for as long as nobody does.
///
/// A question to the server is a way there and back, so the same one is not asked twice. Every
/// commit that changes one of these tables raises the number `scenery`, which each transaction
/// reads at its beginning.
struct ServerAnswers {
    /// The tables that hardly ever change while tasks are worked off.
    static let configuration = ["queue", "process", "permit", "store"]
    /// All others.
    static let rest = [
        "task", "tally", "number", "payload", "result", "role", "group", "attempt", "event",
        "offer", "inbox", "removed", "schema", "origin", "known", "ended", "failure", "image",
        "step",
    ]
    /// Larger answers are not kept, apart from those about the configuration.
    private static let rowLimit = 16
    /// More than a store with a thousand busy queues is asked about.
    private static let configurationLimit = 5000

    private struct Key: Hashable {
        var statement: ObjectIdentifier
        var values: [ServerValue]

        init(_ statement: ServerStatement, _ values: [ServerValue]) {
            self.statement = ObjectIdentifier(statement)
            // Texts are the same where their bytes are, and not where they look the same.
            self.values = values.map { value in
                if case .text(let text) = value { .bytes(Array(text.utf8)) } else { value }
            }
        }
    }

    private struct Kept {
        var statement: ServerStatement
        var rows: PostgresRows
    }

    /// Those of the transaction.
    private var own: [Key: Kept] = [:]
    /// The statements that change nothing of what the transaction's answers are about.
    private var harmless: Set<ObjectIdentifier> = []
    private var configuration: [Key: PostgresRows] = [:]
    private(set) var configurationVersion: Int64?
    /// What the transaction changed so far: tables, and whether there was more than these.
    private var changed: Set<String> = []
    private var changedMore = false
    /// Whether the transaction changed the configuration.
    private(set) var hasNewScenery = false

    /// The number of what is known of them; nil while the transaction changes them.
    var knownScenery: Int64? { hasNewScenery ? nil : configurationVersion }

    /// A transaction begins, or is taken back to a savepoint.
    mutating func forgetOwn() {
        own.removeAll(keepingCapacity: true)
        harmless.removeAll(keepingCapacity: true)
    }

    /// A transaction begins; what it changes in the configuration is yet to come.
    mutating func begin() {
        forgetOwn()
        changed.removeAll(keepingCapacity: true)
        changedMore = false
        // Whether that was committed is not known here.
        if hasNewScenery { forgetConfiguration() }
        hasNewScenery = false
    }

    /// The number that says how often the configuration changed, as the transaction read it.
    mutating func seeConfiguration(_ number: Int64) {
        if configurationVersion != number { forgetConfiguration() }
        configurationVersion = number
    }

    private mutating func forgetConfiguration() {
        configuration.removeAll()
        configurationVersion = nil
    }

    func answer(to statement: ServerStatement, _ values: [ServerValue]) -> PostgresRows? {
        let key = Key(statement, values)
        if let kept = own[key] { return kept.rows }
        guard statement.isAboutScenery, !hasNewScenery else { return nil }
        return configuration[key]
    }

    /// Whether the transaction has changed nothing that a question is about.
    func isUntouched(_ statement: ServerStatement) -> Bool {
        !changedMore && !changed.contains { statement.names($0) }
    }

    /// Keeps what was answered; all of it where it is known to be asked for.
    mutating func keep(
        _ rows: PostgresRows, of statement: ServerStatement, _ values: [ServerValue],
        isForeseen: Bool = false
    ) {
        guard statement.holdsStill else { return }
        let key = Key(statement, values)
        if statement.isAboutScenery, !hasNewScenery, configurationVersion != nil {
            if configuration.count >= Self.configurationLimit { configuration.removeAll() }
            configuration[key] = rows
        } else if isForeseen || rows.count <= Self.rowLimit {
            own[key] = Kept(statement: statement, rows: rows)
            harmless.removeAll(keepingCapacity: true)
        }
    }

    /// A statement changes something: what was said about it holds no longer.
    mutating func forget(changedBy change: ServerStatement) {
        if change.changesConfiguration { hasNewScenery = true }
        if let table = change.many?.table { changed.insert(table) } else { changedMore = true }
        guard !own.isEmpty, harmless.insert(ObjectIdentifier(change)).inserted else { return }
        guard let table = change.many?.table else { return own.removeAll(keepingCapacity: true) }
        own = own.filter { !$0.value.statement.names(table) }
    }
}
