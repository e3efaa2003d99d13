import SluiceModel

extension RowSystem {
    static let changesTable = "sluice_changes"

    /// Creates the table of changes if it does not exist.
    func makeChangesTable() throws {
        let text = dialect.textType
        if let columns = try changesColumns() {
            guard !columns.contains("deed") else { return }
            return try session.define("ALTER TABLE \(Self.changesTable) ADD COLUMN deed \(text)")
        }
        try session.define(
            """
            CREATE TABLE IF NOT EXISTS \(Self.changesTable) (number \(dialect.growingKey),
            \(dialect.systemColumn) VARCHAR(40) NOT NULL,
            person \(text), verb \(text), task \(text),
            place \(text), before_row \(text), after_row \(text), deed \(text))\(
                dialect.tableOptions)
            """)
    }

    /// The columns of the table of changes; `nil` if it does not exist.
    private func changesColumns() throws -> Set<String>? {
        try session.shapes(of: [Self.changesTable]).values.lazy
            .compactMap { $0[Self.changesTable] }.first
    }

    func change(
        _ reference: String, _ change: ForeignChange, by author: ForeignAuthor
    ) throws -> ForeignAnswer {
        forget()
        try check(change.verb)
        let detail = try require(reference)
        try check(change.verb, on: detail.task)
        try session.checkTransactions(on: table.tables)
        try makeChangesTable()
        return try session.transaction {
            if let id = identifier(reference), let old = try whole(table.table, "id = \(id)") {
                let display = detail.task.display
                guard let shown = try row(reference), task(shown).display == display else {
                    throw QueueError.changedMeanwhile
                }
                return try self.change(id, change, of: old, shown, by: author)
            }
            return try changeOther(reference, change, by: author)
        }
    }

    /// A whole row, locked for the transaction.
    private func whole(_ table: String, _ condition: String) throws -> JSONValue? {
        try session.first("SELECT * FROM \(table) WHERE \(condition)\(dialect.locking)")
    }

    /// Changes a row of the main table.
    private func change(
        _ id: String, _ change: ForeignChange, of old: JSONValue, _ shown: JSONValue,
        by author: ForeignAuthor
    ) throws -> ForeignAnswer {
        let reference = Self.text(old["id"])
        let queue = self.shown(old[table.queue])
        if change == .delete {
            try session.changeOne("DELETE FROM \(table.table) WHERE id = \(id)")
        } else {
            let setting = try setting(change, queue, shown).map { column, value in
                "\(dialect.name(column)) = \(RowTable.of(table.table, value))"
            }.sorted()
            try session.changeOne(
                "UPDATE \(table.table) SET \(setting.joined(separator: ", ")) WHERE id = \(id)")
        }
        let new = try session.first("SELECT * FROM \(table.table) WHERE id = \(id)")
        try keep(reference, change.verb, table.table, before: old, after: new, author)
        return ForeignAnswer(
            changed: [reference],
            consequences: change == .skip ? ["it is set aside until it is unskipped"] : [])
    }

    /// The columns that a change sets, each with an expression.
    private func setting(
        _ change: ForeignChange, _ queue: String, _ row: JSONValue
    ) throws -> [(String, String)] {
        let column = table.hold.column
        let display = row["sluice_display"]?.string
        switch change {
        case .skip:
            try session.checkLateTimes(in: column, of: table.table)
            let from = row["sluice_held"]?.integer == 1 ? RowHold.Place.held : .free
            return [(column, table.hold.moved(from: from, to: .skipped, dialect))]
        case .unskip:
            let place = try holds()[queue] == nil ? RowHold.Place.free : .held
            return [(column, table.hold.moved(from: .skipped, to: place, dialect))]
        case .retry:
            let failed = display == ForeignTask.Display.failed.rawValue ? table.retrying : [:]
            let all = [table.time: dialect.now(table.clock)].merging(failed) { $1 }
            return all.map { ($0.key, $0.value) }
        case .postpone(let moment):
            if moment.milliseconds / 1000 > Int64(Int32.max) {
                try session.checkLateTimes(in: table.time, of: table.table)
                guard table.clock == .date else {
                    throw QueueError(
                        .badValue, "\(title) keeps no time after 2038-01-19",
                        fix: "give an earlier one")
                }
            }
            return [(table.time, dialect.literal(moment, table.clock))]
        case .priority(let number):
            return [(table.priority ?? "priority", String(Int32(clamping: number)))]
        case .edit(let value):
            guard let edit = table.edit else {
                throw QueueError.notLegal("it cannot be edited: \(table.whyFixed ?? "")")
            }
            return try edit(row, value).map { ($0.key, try dialect.literal($0.value)) }
        case .delete, .move: throw QueueError.notLegal("that is not possible")
        }
    }

    /// Tries a failed task of the other table again, or forgets it.
    private func changeOther(
        _ reference: String, _ change: ForeignChange, by author: ForeignAuthor
    ) throws -> ForeignAnswer {
        let all = try table.others.compactMap { other in
            try self.otherRow(reference, other).map { (other, $0) }
        }
        guard let (other, found) = all.first else { throw QueueError.changedMeanwhile }
        let key = "\(other.key) = \(try dialect.literal(found[other.key] ?? .null))"
        guard let old = try session.first("SELECT * FROM \(other.table) WHERE \(key)") else {
            throw QueueError.changedMeanwhile
        }
        var new: JSONValue?
        if change == .retry {
            guard let again = other.again else { throw QueueError.notLegal("it cannot be retried") }
            new = try insert(try again(old), into: table.table)
        }
        try session.changeOne("DELETE FROM \(other.table) WHERE \(key)")
        try keep(reference, change.verb, other.table, before: old, after: new, author)
        let id = Self.text(new?["id"])
        return ForeignAnswer(
            changed: [reference], consequences: new == nil ? [] : ["it waits again as \(id)"])
    }

    /// Inserts a row, and gives it as it is then.
    private func insert(_ row: [String: JSONValue], into table: String) throws -> JSONValue? {
        let columns = row.keys.sorted()
        let values = try columns.map { name -> String in
            // This mark represents the server's time.
            if case .string(RowTable.nowMark)? = row[name] { return dialect.now(self.table.clock) }
            return try dialect.literal(row[name] ?? .null)
        }
        try session.changeOne(
            "INSERT INTO \(table) (\(columns.map(dialect.name).joined(separator: ", "))) "
                + "VALUES (\(values.joined(separator: ", ")))")
        return try session.first("SELECT * FROM \(table) WHERE id = \(dialect.lastID)")
    }

    /// Records a change for `undoLast`.
    func keep(
        _ reference: String, _ verb: ForeignVerb, _ place: String, before: JSONValue,
        after: JSONValue?, _ author: ForeignAuthor
    ) throws {
        let values = try [
            name, author.person, verb.rawValue, reference, place, before.text, author.deed ?? "",
        ].map { try dialect.literal($0) }
        try session.changeOne(
            """
            INSERT INTO \(Self.changesTable)
            (\(dialect.systemColumn), person, verb, task, place, before_row, deed, after_row)
            VALUES (\(values.joined(separator: ", ")), \(
                try dialect.literal(JSONValue(after?.text))))
            """)
    }

    func lastRecord(by person: String) throws -> ForeignRecord? {
        guard try hasTable(Self.changesTable),
            let number = try last(by: person, "number")?["number"]?.integer
        else { return nil }
        return ForeignRecord(
            journal: "\(Self.changesTable) \(try session.schema() ?? "")", number: number)
    }

    private func last(by person: String, _ columns: String) throws -> JSONValue? {
        try session.first(
            """
            SELECT \(columns) FROM \(Self.changesTable)
            WHERE \(dialect.systemColumn) = '\(name)'
            AND person = \(try dialect.literal(person)) ORDER BY number DESC LIMIT 1
            """)
    }

    func undoLast(by author: ForeignAuthor) throws -> ForeignUndone? {
        try undoLast(by: author, reverting: revert)
    }

    /// Undoes a person's last change by `reverting`, which gets its record and throws `changed` if
    /// the rows are not as the change left them.
    func undoLast(
        by author: ForeignAuthor, reverting: (JSONValue) throws -> Void
    ) throws -> ForeignUndone? {
        forget()
        guard try hasTable(Self.changesTable) else { return nil }
        guard let kept = try last(by: author.person, "*"),
            let number = kept["number"]?.integer, let verb = kept["verb"]?.string,
            let reference = kept["task"]?.string,
            author.deed == nil || author.deed == kept["deed"]?.string
        else { return nil }
        let undone = ForeignUndone(reference, verb, deed: kept["deed"]?.string)
        do {
            try session.transaction {
                try reverting(kept)
                try session.changeOne("DELETE FROM \(Self.changesTable) WHERE number = \(number)")
            }
        } catch let error as QueueError where error.code == .changed {
            try session.transaction {
                let least = try session.first("SELECT min(number) AS n FROM \(Self.changesTable)")
                let last = min(least?["n"]?.integer ?? 0, 0) - 1
                try session.changeOne(
                    "UPDATE \(Self.changesTable) SET number = \(last) WHERE number = \(number)")
            }
            return undone.tooLate
        }
        return undone
    }

    /// Restores the rows from before a change if they are still as the change left them.
    private func revert(_ kept: JSONValue) throws {
        guard let place = kept["place"]?.string, table.tables.contains(place),
            let before = kept["before_row"]?.string.flatMap({ try? JSONValue.parse($0) })
        else { throw QueueError.changedMeanwhile }
        let after = kept["after_row"]?.string.flatMap { try? JSONValue.parse($0) }
        if let after, let id = identifier(Self.text(after["id"])) {
            guard try whole(table.table, "id = \(id)") == after else {
                throw QueueError.changedMeanwhile
            }
            guard place == table.table else {
                // A failed task waited again: that row goes, and the failure is back.
                try session.changeOne("DELETE FROM \(table.table) WHERE id = \(id)")
                return try restore(before, into: place)
            }
            let pairs = (before.object?.pairs ?? []).filter { after[$0.key] != $0.value }
            guard !pairs.isEmpty else { return }
            let setting = try pairs.map {
                "\(dialect.name($0.key)) = \(try dialect.literal($0.value))"
            }
            try session.changeOne(
                "UPDATE \(place) SET \(setting.joined(separator: ", ")) WHERE id = \(id)")
            return try matchHold(id)
        }
        try restore(before, into: place)
        if place == table.table, let id = identifier(Self.text(before["id"])) { try matchHold(id) }
    }

    func restore(_ row: JSONValue, into place: String) throws {
        let pairs = row.object?.pairs ?? []
        let names = pairs.map { dialect.name($0.key) }.joined(separator: ", ")
        let values = try pairs.map { try dialect.literal($0.value) }.joined(separator: ", ")
        try session.changeOne("INSERT INTO \(place) (\(names)) VALUES (\(values))")
    }

    /// A row that came back is held where its queue is, and free if it is not.
    private func matchHold(_ id: String) throws {
        let isWaiting = "((\(table.isHeld)) OR (\(table.isMovable(dialect))))"
        let rows = try found("@id = \(id) AND \(isWaiting)", order: "@id", limit: 1)
        guard let row = rows.first else { return }
        let isHeld = try holds()[shown(row[table.queue])] != nil
        let from = row["sluice_held"]?.integer == 1 ? RowHold.Place.held : .free
        let to = isHeld ? RowHold.Place.held : .free
        guard from != to else { return }
        let value = RowTable.of(table.table, table.hold.moved(from: from, to: to, dialect))
        let column = dialect.name(table.hold.column)
        try session.changeOne("UPDATE \(table.table) SET \(column) = \(value) WHERE id = \(id)")
    }
}
