import SluiceSystem

/// A cache of query results. Results of a transaction stay valid until it changes their tables.
/// Results from the few rarely changed tables stay valid until any process changes them.
///
/// A query to the server is a round trip, so the cache saves repeats. Every commit that changes one
/// of the rare tables raises the number `scenery`, which each transaction reads at its start.
struct ServerAnswers {
    /// The tables that rarely change while tasks run.
    static let configuration = ["queue", "process", "permit", "store"]
    /// All others.
    static let rest = [
        "task", "tally", "number", "payload", "result", "role", "group", "attempt", "event",
        "offer", "inbox", "removed", "schema", "origin", "known", "ended", "failure", "image",
        "step", "waited",
    ]
    /// Larger answers are not kept, apart from those about the configuration.
    private static let rowLimit = 16
    /// More than a store with a thousand busy queues needs.
    private static let configurationLimit = 5000

    private struct Key: Hashable {
        var statement: ObjectIdentifier
        var values: [ServerValue]

        init(_ statement: ServerStatement, _ values: [ServerValue]) {
            self.statement = ObjectIdentifier(statement)
            // Texts are compared by bytes: different bytes may look the same.
            self.values = values.map { value in
                if case .text(let text) = value { .bytes(Array(text.utf8)) } else { value }
            }
        }
    }

    private struct Kept {
        var statement: ServerStatement
        var rows: PostgresRows
    }

    /// Results of the transaction.
    private var own: [Key: Kept] = [:]
    /// The statements that change nothing of what the transaction's answers are about.
    private var harmless: Set<ObjectIdentifier> = []
    private var configuration: [Key: PostgresRows] = [:]
    private(set) var configurationVersion: Int64?
    /// The tables that the transaction has changed, and whether it changed others too.
    private var changed: Set<String> = []
    private var changedMore = false
    /// Whether the transaction changed the configuration.
    private(set) var hasNewScenery = false

    /// The configuration number of the cache, or `nil` while the transaction changes the
    /// configuration.
    var knownScenery: Int64? { hasNewScenery ? nil : configurationVersion }

    /// A transaction begins or returns to a savepoint.
    mutating func forgetOwn() {
        own.removeAll(keepingCapacity: true)
        harmless.removeAll(keepingCapacity: true)
    }

    /// A transaction begins, without changes to the configuration yet.
    mutating func begin() {
        forgetOwn()
        changed.removeAll(keepingCapacity: true)
        changedMore = false
        // It is unknown here whether the earlier change was committed.
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

    /// The kept answer to a question. An answer that does not hold still is given once.
    mutating func answer(
        to statement: ServerStatement, _ values: [ServerValue]
    ) -> PostgresRows? {
        let key = Key(statement, values)
        if !statement.holdsStill { return own.removeValue(forKey: key)?.rows }
        if let kept = own[key] { return kept.rows }
        guard statement.isAboutScenery, !hasNewScenery else { return nil }
        return configuration[key]
    }

    /// Whether the transaction has changed nothing that a question is about.
    func isUntouched(_ statement: ServerStatement) -> Bool {
        !changedMore && !changed.contains { statement.names($0) }
    }

    /// Caches a result. With `isForeseen` it always keeps all of it, because the query is expected.
    mutating func keep(
        _ rows: PostgresRows, of statement: ServerStatement, _ values: [ServerValue],
        isForeseen: Bool = false
    ) {
        guard statement.holdsStill || isForeseen else { return }
        let key = Key(statement, values)
        if statement.isAboutScenery, !hasNewScenery, configurationVersion != nil {
            if configuration.count >= Self.configurationLimit { configuration.removeAll() }
            configuration[key] = rows
        } else if isForeseen || rows.count <= Self.rowLimit {
            own[key] = Kept(statement: statement, rows: rows)
            harmless.removeAll(keepingCapacity: true)
        }
    }

    /// A statement changes tables: drops the results that depend on them.
    mutating func forget(changedBy change: ServerStatement) {
        if change.changesConfiguration { hasNewScenery = true }
        if let table = change.many?.table { changed.insert(table) } else { changedMore = true }
        guard !own.isEmpty, harmless.insert(ObjectIdentifier(change)).inserted else { return }
        guard let table = change.many?.table else { return own.removeAll(keepingCapacity: true) }
        own = own.filter { !$0.value.statement.names(table) }
    }
}
