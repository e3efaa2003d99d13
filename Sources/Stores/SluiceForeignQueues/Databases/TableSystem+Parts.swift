import SluiceModel
import SluicePostgresClient

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

    /// Whether a queue has held rows.
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
