import SluiceModel

/// A hold in a PostgreSQL table by a trigger: what waits is put 4,000 years later, and so is what
/// comes or is written again. The old time is the new one without that.
struct HoldByTime {
    /// The table, as a statement names it.
    let table: String
    /// The columns for the queue, the state and the time.
    let queue: String
    let state: String
    let time: String
    /// The state of what waits, as a statement spells it.
    let waiting: String

    /// A time from which on a row is held, and from which on it was set aside by hand.
    static let heldFrom = "'4000-01-01 00:00:00+00'::timestamptz"
    static let skippedFrom = "'7000-01-01 00:00:00+00'::timestamptz"

    /// The name of the trigger of a queue.
    static func trigger(_ queue: String) -> String {
        let digits = queue.utf8.reduce(UInt64(0xcbf2_9ce4_8422_2325)) {
            ($0 ^ UInt64($1)) &* 0x100_0000_01b3
        }
        return "sluice_hold_" + String(digits, radix: 16)
    }

    /// The time of a row that is put out of reach.
    static func away(_ time: String, from start: String, years: Int) -> String {
        "coalesce(\(time) + interval '\(years) years', \(start))"
    }

    /// The time of a row that comes back.
    static func back(_ time: String, from start: String, years: Int) -> String {
        "CASE WHEN \(time) = \(start) THEN NULL ELSE \(time) - interval '\(years) years' END"
    }

    /// Begins: one transaction.
    func beginning(_ queue: String, _ note: HoldNote) throws -> String {
        let name = Self.trigger(queue)
        let literal = try SQLDesk.literal(queue)
        let comment = try SQLDesk.literal(
            ([
                "queue": .string(queue), "by": .string(note.by),
                "since": .integer(note.since.milliseconds), "reason": JSONValue(note.reason),
            ] as JSONValue).text)
        return """
            CREATE OR REPLACE FUNCTION sluice_hold_by_time() RETURNS trigger LANGUAGE plpgsql AS
            $sluice$ BEGIN
            IF NEW.\(time) IS NULL OR NEW.\(time) < \(Self.heldFrom) THEN
            NEW.\(time) := \(Self.away("NEW.\(time)", from: Self.heldFrom, years: 4000));
            END IF; RETURN NEW; END $sluice$;
            CREATE TRIGGER \(name) BEFORE INSERT OR UPDATE OF \(time), \(state) ON \(table)
            FOR EACH ROW WHEN (NEW.\(self.queue) = \(literal) AND NEW.\(state) = \(waiting)
            AND current_setting('sluice.release', true) IS DISTINCT FROM '1')
            EXECUTE FUNCTION sluice_hold_by_time();
            COMMENT ON TRIGGER \(name) ON \(table) IS \(comment);
            UPDATE \(table) SET \(time) = \(time)
            WHERE \(self.queue) = \(literal) AND \(state) = \(waiting)
            AND (\(time) IS NULL OR \(time) < \(Self.heldFrom))
            """
    }

    /// Ends: the trigger goes, and what is held gets its time back.
    func ending(_ queue: String) throws -> String {
        """
        DROP TRIGGER IF EXISTS \(Self.trigger(queue)) ON \(table);
        UPDATE \(table) SET \(time) = \(Self.back(time, from: Self.heldFrom, years: 4000))
        WHERE \(self.queue) = \(try SQLDesk.literal(queue)) AND \(state) = \(waiting)
        AND \(time) >= \(Self.heldFrom) AND \(time) < \(Self.skippedFrom)
        """
    }

    /// The holds of a table, by their queues.
    func holds(_ desk: SQLDesk) throws -> [String: ForeignHold] {
        let rows = try desk.rows(
            """
            SELECT obj_description(t.oid, 'pg_trigger') AS note FROM pg_trigger t
            WHERE t.tgrelid = '\(table)'::regclass AND t.tgname LIKE 'sluice\\_hold\\_%'
            """)
        var found: [String: ForeignHold] = [:]
        for row in rows {
            guard let text = row["note"]?.string, let note = try? JSONValue.parse(text),
                let queue = note["queue"]?.string, let by = note["by"]?.string,
                let since = note["since"]?.integer
            else { continue }
            let kept = HoldNote(
                by: by, since: Timestamp(milliseconds: since), reason: note["reason"]?.string)
            found[queue] = ForeignHold(note: kept, recipe: "trigger")
        }
        return found
    }
}
