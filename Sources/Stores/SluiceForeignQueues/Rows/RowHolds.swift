import SluiceModel

/// Who holds which queue: a table of this program in the database, and a trigger for each hold.
extension RowSystem {
    static let holdsTable = "sluice_holds"

    /// Creates the table of holds if it does not exist.
    func makeHoldsTable() throws {
        guard try !hasTable(Self.holdsTable) else { return }
        try session.define(
            """
            CREATE TABLE IF NOT EXISTS \(Self.holdsTable) (
            \(dialect.systemColumn) VARCHAR(40) NOT NULL, queue VARCHAR(255) NOT NULL,
            person \(dialect.textType) NOT NULL, since BIGINT NOT NULL,
            reason \(dialect.textType), phase VARCHAR(10),
            PRIMARY KEY (\(dialect.systemColumn), queue))\(dialect.tableOptions)
            """)
    }

    func hasTable(_ name: String) throws -> Bool {
        try !session.shapes(of: [name]).values.allSatisfy { $0[name] == nil }
    }

    /// The holds of this system, by their queues. One without its trigger lets arrivals through.
    func holds() throws -> [ExactText: ForeignHold] {
        guard try hasTable(Self.holdsTable) else { return [:] }
        let triggers = try session.triggers()
        var found: [ExactText: ForeignHold] = [:]
        for row in try session.rows(
            "SELECT queue, person, since, reason, phase FROM \(Self.holdsTable) "
                + "WHERE \(dialect.systemColumn) = '\(name)'")
        {
            guard let queue = row["queue"]?.string, let by = row["person"]?.string,
                let since = row["since"]?.integer
            else { continue }
            let note = HoldNote(
                by: by, since: Timestamp(milliseconds: since), reason: row["reason"]?.string)
            var leak = row["phase"]?.string.flatMap(HoldStrategy.Phase.init)?.leak
            let unseen = Set(triggerNames(queue)).subtracting(triggers)
            if leak == nil, try !unseen.isEmpty && session.areGone(unseen) {
                leak = "its trigger is missing: new tasks may run"
            }
            found[queue] = ForeignHold(note: note, recipe: "trigger", leak: leak)
        }
        return found
    }

    /// Writes the holder of a queue and the phase of the hold; nil is a complete hold.
    func sayHold(_ queue: String, _ note: HoldNote, _ phase: HoldStrategy.Phase?) throws {
        let name = try dialect.literal(queue)
        _ = try session.changed(
            "DELETE FROM \(Self.holdsTable) WHERE \(dialect.systemColumn) = '\(self.name)' "
                + "AND queue = \(name)")
        try session.changeOne(
            """
            INSERT INTO \(Self.holdsTable)
            (\(dialect.systemColumn), queue, person, since, reason, phase)
            VALUES ('\(self.name)', \(name), \(try dialect.literal(note.by)),
            \(note.since.milliseconds), \(try dialect.literal(JSONValue(note.reason))),
            \(try dialect.literal(JSONValue(phase?.rawValue))))
            """)
    }

    func forgetHold(_ queue: String) throws {
        _ = try session.changed(
            "DELETE FROM \(Self.holdsTable) WHERE \(dialect.systemColumn) = '\(name)' "
                + "AND queue = \(try dialect.literal(queue))")
    }

    /// The triggers of a queue, for rows that come and for rows that become ready again.
    func triggerNames(_ queue: String) -> [String] {
        let base = "sluice_row_" + HoldStrategy.trigger("\(name) \(queue)").dropFirst(12)
        return isWatching && dialect != .postgres ? ["\(base)_i", "\(base)_u"] : ["\(base)_i"]
    }

    /// Whether a row that is there is caught when it becomes ready again.
    private var isWatching: Bool { table.watched != nil }

    private var watched: [String] {
        let columns = [table.hold.column] + (table.watched ?? [])
        return columns.map(dialect.name)
    }

    /// Creates the triggers that hold new rows.
    func makeTriggers(_ queue: String) throws {
        let names = triggerNames(queue)
        let column = dialect.name(table.hold.column)
        func new(_ fragment: String) -> String { RowTable.of("NEW", fragment) }
        let isIn = try table.hold.isIn(queue, "NEW", table, dialect)
        let passed = table.hold.isLetThrough.map { " AND NOT coalesce(\(new($0)), false)" } ?? ""
        let catches = "\(isIn) AND \(new(table.isFree))\(passed)"
        let away = table.hold.moved(from: .free, to: .held, dialect)
        try dropTriggers(queue)
        switch dialect {
        case .postgres:
            let events =
                isWatching ? "INSERT OR UPDATE OF \(watched.joined(separator: ", "))" : "INSERT"
            let value = RowTable.of("NEW", away)
            try session.define(
                """
                CREATE FUNCTION \(names[0])() RETURNS trigger LANGUAGE plpgsql
                SET timezone = 'UTC' AS $sluice$ BEGIN
                IF \(catches) THEN NEW.\(column) := \(value); END IF;
                RETURN NEW; END $sluice$;
                CREATE TRIGGER \(names[0]) BEFORE \(events) ON \(table.table)
                FOR EACH ROW EXECUTE FUNCTION \(names[0])()
                """)
        case .sqlite:
            let events = ["INSERT", "UPDATE OF \(watched.joined(separator: ", "))"]
            for (name, event) in zip(names, events) {
                try session.define(
                    """
                    CREATE TRIGGER \(name) AFTER \(event) ON \(table.table) WHEN \(catches)
                    BEGIN UPDATE \(table.table) SET \(column) = \(new(away)) WHERE id = NEW.id; END
                    """)
            }
        case .mariadb:
            for (name, event) in zip(names, ["INSERT", "UPDATE"]) {
                try session.define(
                    """
                    CREATE TRIGGER \(name) BEFORE \(event) ON \(table.table) FOR EACH ROW
                    IF \(catches) THEN SET NEW.\(column) = \(new(away)); END IF
                    """)
            }
        }
    }

    func dropTriggers(_ queue: String) throws {
        for name in triggerNames(queue) {
            let place = dialect == .postgres ? " ON \(table.table)" : ""
            try session.define("DROP TRIGGER IF EXISTS \(name)\(place)")
            if dialect == .postgres { try session.define("DROP FUNCTION IF EXISTS \(name)()") }
        }
    }
}

extension RowHold {
    /// Whether a row that is free is one of a queue.
    func isIn(
        _ queue: String, _ row: String, _ table: RowTable, _ dialect: RowDialect
    ) throws -> String {
        let isNamed = "\(row).\(dialect.name(table.queue)) = \(try dialect.literal(queue))"
        return queue == table.unnamed
            ? "(\(isNamed) OR \(row).\(dialect.name(table.queue)) IS NULL)" : isNamed
    }
}
