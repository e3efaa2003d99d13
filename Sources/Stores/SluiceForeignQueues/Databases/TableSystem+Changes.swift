import SluiceModel
import SluiceSystem

extension TableSystem {
    func change(
        _ reference: String, _ change: ForeignChange, by author: ForeignAuthor
    ) throws -> ForeignAnswer {
        try check(change.verb)
        let detail = try require(reference)
        try check(change.verb, on: detail.task)
        guard let id = identifier(reference) else { throw QueueError.notLegal("it has no id") }
        let displays = rules.displays(of: change.verb).map { "'\($0.rawValue)'" }.sorted()
        var condition = "(\(table.display)) IN (\(displays.joined(separator: ", ")))"
        if change == .retry { condition = "(\(table.retryable))" }
        try explaining(reference) {
            try perform(
                id, try statement(change, detail, id), condition, verb: change.verb, author)
        }
        if change == .retry {
            try session.change(try table.waking(detail.task.queue, reference))
        }
        return ForeignAnswer(
            changed: [reference],
            consequences: change == .skip ? ["it is set aside until it is unskipped"] : [])
    }

    private func statement(
        _ change: ForeignChange, _ detail: ForeignDetail, _ id: String
    ) throws -> String {
        let setting: String
        switch change {
        case .skip:
            setting = table.hold.skipping
        case .unskip:
            setting = table.hold.unskipping
        case .delete:
            switch table.removing {
            case .setting(let text): setting = text
            case .deleting(let also):
                return "\(also(id)); DELETE FROM \(table.table) j WHERE j.id = \(id)"
            }
        case .retry:
            setting = table.retrying
        case .edit(let value): setting = try editing(value, detail.payload)
        case .postpone(let moment):
            setting =
                "\(table.hold.time) = \(try SQLSession.moment(moment))\(table.postponing ?? "")"
        case .priority(let number):
            setting = "priority = \(Int32(clamping: number))"
        case .move: throw QueueError.notLegal("move is not possible")
        }
        return "UPDATE \(table.table) j SET \(row(setting)) WHERE j.id = \(id)"
    }

    private func editing(_ value: JSONValue, _ old: ForeignPayload) throws -> String {
        if let why = old.whyFixed { throw QueueError.notLegal("it cannot be edited: \(why)") }
        switch table.payload {
        case .json(let column, let type):
            guard (value.object == nil) == (old.value?.object == nil),
                (value.array == nil) == (old.value?.array == nil)
            else {
                throw QueueError(
                    .badValue, "the payload has another form than the one that is there",
                    fix: "give an object for an object, as sluice show has it")
            }
            return "\(column) = \(try SQLSession.literal(value.text))::\(type)"
        case .bytes(let column):
            let bytes = old.format == "text" ? value.string.map { Array($0.utf8) } : value.bytes
            guard let bytes else {
                throw QueueError(.badValue, "the payload is no text", fix: "give a text in quotes")
            }
            return "\(column) = decode('\(Base64.encode(bytes))', 'base64')"
        }
    }

    private func perform(
        _ id: String, _ statement: String, _ condition: String, verb: ForeignVerb,
        _ author: ForeignAuthor
    ) throws {
        try Self.explainingUndo {
            try session.change(
                """
                \(Self.undoTable);
                \(SQLSession.requireRow(
                """
                INSERT INTO sluice_undo (person, verb, task, before, system, deed)
                SELECT \(try SQLSession.literal(author.person)), '\(verb.rawValue)', j.id::text,
                to_jsonb(j), '\(table.name)', \(try SQLSession.literal(author.deed ?? ""))
                FROM \(table.table) j WHERE j.id = \(id) AND \(row(condition)) FOR UPDATE
                """));
                \(statement);
                UPDATE sluice_undo u SET after_status = \(row(table.version))
                FROM \(table.table) j WHERE j.id = \(id)
                AND u.number = currval('sluice_undo_number_seq')
                """)
        }
    }

    /// Explains a refusal to make the undo table.
    private static func explainingUndo(_ body: () throws -> Void) throws {
        do {
            try body()
        } catch let error as PostgresError
            where error.code == "42501" && error.message.contains("permission denied for schema")
        {
            throw QueueError(
                .denied, "\(error.message): undo needs the table sluice_undo there",
                fix: "let the owner of the schema GRANT CREATE on it, or make the table once")
        }
    }

    /// The statements that create the undo table if it does not exist.
    static let undoTable = """
        CREATE TABLE IF NOT EXISTS sluice_undo (number bigserial PRIMARY KEY, person text,
        verb text, task bigint, before jsonb, after_status text);
        ALTER TABLE sluice_undo ALTER COLUMN task TYPE text,
        ADD COLUMN IF NOT EXISTS system text, ADD COLUMN IF NOT EXISTS deed text
        """

    /// A record of the undo table.
    struct LastChange {
        var number: Int64
        var undone: ForeignUndone
    }

    /// The last change of a person; `nil` if it is of another verb than `author` has.
    func lastChange(by author: ForeignAuthor) throws -> LastChange? {
        let known = "SELECT to_regclass('sluice_undo')::text AS t"
        guard try session.rows(known).first?["t"]?.string != nil else { return nil }
        let rows = try session.rows(
            """
            SELECT number, verb, task, to_jsonb(sluice_undo)->>'deed' AS deed FROM sluice_undo
            WHERE person = \(try SQLSession.literal(author.person))
            AND coalesce(to_jsonb(sluice_undo)->>'system', '\(table.name)') = '\(table.name)'
            ORDER BY number DESC LIMIT 1
            """)
        guard let found = rows.first, let number = found["number"]?.integer,
            let task = found["task"]?.string ?? found["task"]?.integer.map(String.init)
        else { return nil }
        let deed = found["deed"]?.string
        guard author.deed == nil || author.deed == deed else { return nil }
        return LastChange(
            number: number,
            undone: ForeignUndone(task, found["verb"]?.string ?? "it", deed: deed))
    }

    func lastRecord(by person: String) throws -> ForeignRecord? {
        guard let last = try lastChange(by: ForeignAuthor(person)) else { return nil }
        let schema = try session.rows("SELECT current_schema()::text AS s").first?["s"]?.string
        return ForeignRecord(journal: "sluice_undo \(schema ?? "")", number: last.number)
    }

    func undoLast(by author: ForeignAuthor) throws -> ForeignUndone? {
        guard let last = try lastChange(by: author) else { return nil }
        let (number, verb, task) = (last.number, last.undone.verb, last.undone.task)
        let before = "jsonb_populate_record(NULL::\(table.table), u.before) b"
        let statement: String
        if case .deleting = table.removing, verb == ForeignVerb.delete.rawValue {
            statement = """
                INSERT INTO \(table.table) SELECT b.* FROM sluice_undo u, \(before)
                WHERE u.number = \(number)
                AND NOT EXISTS (SELECT 1 FROM \(table.table) j WHERE j.id = b.id)
                """
        } else {
            let isHeld = try HoldStrategy.holds(table, session)[try queueOf(task)] != nil
            let columns = Set(table.hold.columns + table.kept + [table.payload.column])
                .union(table.priority == nil ? [] : ["priority"]).sorted()
            let setting = columns.map { column in
                "\(column) = "
                    + JobTable.of("b", table.hold.restoring(column, isHeld: isHeld))
            }
            statement = """
                UPDATE \(table.table) j SET \(setting.joined(separator: ", "))
                FROM sluice_undo u, \(before) WHERE u.number = \(number) AND j.id = b.id
                AND \(row(table.version)) = u.after_status
                """
        }
        return try explaining(task) {
            try revert(last, SQLSession.requireRow(statement))
        }
    }

    /// Undoes a change and deletes its record in one transaction.
    func revert(_ change: LastChange, _ statements: String) throws -> ForeignUndone {
        let number = change.number
        do {
            try session.change("\(statements); DELETE FROM sluice_undo WHERE number = \(number)")
        } catch let error as QueueError where error.code == .changed {
            try session.change(
                """
                UPDATE sluice_undo SET number = (SELECT least(min(number), 0) - 1 FROM sluice_undo)
                WHERE number = \(number)
                """)
            return change.undone.tooLate
        }
        return change.undone
    }

    /// The shown name of a task's queue.
    private func queueOf(_ reference: String) throws -> String {
        guard let id = identifier(reference) else { return "" }
        return try tasks("@id = \(id)", "@id", 1).first?.queue ?? ""
    }
}

/// Moves rows in parts, so that each transaction is short. If the tool dies between two parts, the
/// next run continues.
extension TableSystem {
    /// The number of moved rows, and the rows that a constraint blocks.
    struct Moved {
        var count = 0
        var kept: [Kept] = []
    }

    /// Holds the waiting rows of a queue, the next ones first.
    func putAside(_ queue: String) throws -> Moved {
        let hold = table.hold
        var all = Moved()
        // Another round finds the rows that a worker fetched and returned during the previous one.
        for _ in 0..<Self.rounds {
            let moved = try each(of: queue, hold.isFree(table.ready), hold.touching, "")
            all.count += moved.count
            all.kept = moved.kept
            if moved.count == 0 { break }
        }
        return all
    }
    private static let rounds = 5

    /// Releases the held rows, the next ones first. New rows are still held until the end of the
    /// release, which returns them too.
    func giveBack(_ queue: String) throws -> Moved {
        try each(
            of: queue, table.hold.isHeld(table.ready), row(table.hold.bringingBack),
            "\(Self.releasing); \(try table.waking(queue, "0"));")
    }

    /// Ends a hold: removes the trigger, then gives the last arrivals back.
    func endHold(_ queue: String, without kept: [Kept]) throws -> Moved {
        let ids = try kept.map { try SQLSession.literal($0.id) }.joined(separator: ", ")
        let others = ids.isEmpty ? "" : " AND @id::text NOT IN (\(ids))"
        let told = try session.changed(
            """
            \(Self.releasing);
            DROP TRIGGER IF EXISTS \(HoldStrategy.trigger(queue)) ON \(table.table);
            \(try oneByOne(
                of: queue, table.hold.isHeld(table.ready) + others,
                row(table.hold.bringingBack), limit: nil));
            \(try table.waking(queue, "0"))
            """, Self.told)
        return Self.moved(told)
    }

    private static let releasing = "SELECT set_config('sluice.release', '1', true)"
    private static let told = "SELECT current_setting('sluice.told')"

    func hasHeld(_ queue: String) throws -> Bool {
        let fits = row("\(try table.isIn(queue, session)) AND \(table.hold.isHeld(table.ready))")
        return try session.rows(
            "SELECT EXISTS (SELECT 1 FROM \(table.table) j WHERE \(fits)) AS held"
        ).first?["held"]?.bool == true
    }

    /// Sets columns of all rows of a queue that fit a condition, in their order.
    private func each(
        of queue: String, _ condition: String, _ setting: String, _ before: String
    ) throws -> Moved {
        var (all, behind) = (Moved(), "")
        while true {
            let part = try part(of: queue, condition + behind, setting, before)
            let moved = Self.moved(part)
            all.count += moved.count
            all.kept += moved.kept
            guard part?["seen"]?.integer == Int64(partSize),
                let last = part?["last"]?.array, !last.isEmpty
            else { return all }
            let place = try last.map { try SQLSession.literal($0.string ?? $0.text) }
            behind = " AND (\(table.place)) > (\(place.joined(separator: ", ")))"
        }
    }

    /// One part by one statement; where a row of it breaks a constraint, row by row.
    private func part(
        of queue: String, _ condition: String, _ setting: String, _ before: String
    ) throws -> JSONValue? {
        // Their order is one of an index: to sort all of them for each part would take long.
        let before = "SET LOCAL enable_sort = off; \(before)"
        let fits = row("\(try table.isIn(queue, session)) AND \(condition)")
        do {
            return try session.changed(
                before,
                """
                WITH part AS (
                    SELECT j.id, json_build_array(\(row(table.place))) AS place
                    FROM \(table.table) j WHERE \(fits) ORDER BY \(row(table.order))
                    LIMIT \(partSize) FOR UPDATE SKIP LOCKED),
                moved AS (
                    UPDATE \(table.table) j SET \(setting) FROM part
                    WHERE j.id = part.id AND \(row(try table.isIn(queue, session))) RETURNING 1)
                SELECT json_build_object('seen', (SELECT count(*) FROM part),
                'moved', (SELECT count(*) FROM moved),
                'last', (SELECT json_agg(part.place)->-1 FROM part))::text
                """)
        } catch let error as PostgresError where error.code?.hasPrefix("23") == true {
            let rows = try oneByOne(of: queue, condition, setting, limit: partSize)
            return try session.changed("\(before) \(rows)", Self.told)
        }
    }

    /// Sets columns of rows one by one; a row that a constraint refuses stays unchanged.
    private func oneByOne(
        of queue: String, _ condition: String, _ setting: String, limit: Int?
    ) throws -> String {
        let isIn = try table.isIn(queue, session)
        return """
            DO $sluice$
            #variable_conflict use_column
            DECLARE s_row record; s_last json; s_seen int := 0; s_moved int := 0;
            s_kept jsonb := '[]'; s_constraint text; s_detail text;
            BEGIN
            FOR s_row IN SELECT j.id, json_build_array(\(row(table.place))) AS place
                FROM \(table.table) j WHERE \(row("\(isIn) AND \(condition)"))
                ORDER BY \(row(table.order)) LIMIT \(limit.map(String.init) ?? "ALL")
                FOR UPDATE SKIP LOCKED
            LOOP
                s_seen := s_seen + 1; s_last := s_row.place;
                BEGIN
                    UPDATE \(table.table) j SET \(setting)
                    WHERE j.id = s_row.id AND \(row(isIn));
                    IF FOUND THEN s_moved := s_moved + 1; END IF;
                EXCEPTION WHEN integrity_constraint_violation THEN
                    GET STACKED DIAGNOSTICS s_constraint = CONSTRAINT_NAME,
                    s_detail = PG_EXCEPTION_DETAIL;
                    s_kept := s_kept || jsonb_build_object('id', s_row.id::text,
                    'constraint', s_constraint, 'detail', s_detail);
                END;
            END LOOP;
            PERFORM set_config('sluice.told', jsonb_build_object('seen', s_seen, 'moved', s_moved,
            'last', s_last, 'kept', s_kept)::text, true);
            END $sluice$
            """
    }

    private static func moved(_ told: JSONValue?) -> Moved {
        let kept = (told?["kept"]?.array ?? []).compactMap { row in
            row["id"]?.string.map {
                Kept(id: $0, constraint: row["constraint"]?.string, detail: row["detail"]?.string)
            }
        }
        return Moved(count: Int(clamping: told?["moved"]?.integer ?? 0), kept: kept)
    }
}
