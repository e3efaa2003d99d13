import SluiceModel

/// How a hold hides table rows from workers, and how it restores them.
///
/// A hold by time moves a row's time 4,000 years ahead, so that the old time can be computed. A
/// hold by state sets a state that workers do not fetch. Rows skipped by a person have a different
/// mark.
struct HoldStrategy: Sendable {
    /// The expressions that a hold writes to one column.
    struct Assignment: Sendable {
        var column: String
        var away: String
        var back: String
        var through: String
    }

    /// The time column, and the conditions that recognise held and skipped rows.
    let time: String
    private let held: String
    private let skipped: String
    /// The latest time of a held row whose own time has come.
    private let heldUntil: String
    private let kind: Kind
    private enum Kind { case time, state, elsewhere }
    private var isByTime: Bool { kind == .time }
    /// The columns that a hold sets, and the same for a skip with other values.
    private let assignments: [Assignment]
    private let skips: [Assignment]
    /// The columns whose writing holds again.
    let watched: [String]
    /// When a row is due as its system said it, held or not.
    let due: String

    /// A hold by time. `type` is the type of `column`; `others` are time columns that move too; a
    /// change of a `watched` column can make a row ready again.
    static func time(
        _ column: String, type: String = "timestamptz", isOptional: Bool = false,
        others: [String] = [], watched: [String]
    ) -> HoldStrategy {
        func start(_ year: Int) -> String {
            "'\(year)-01-01 00:00:00\(type == "timestamptz" ? "+00" : "")'::\(type)"
        }
        let (isHeld, isSkipped) = (
            "@\(column) >= \(start(4000)) AND @\(column) < \(start(7000))",
            "@\(column) >= \(start(7000))"
        )
        func back(_ name: String, _ years: Int) -> String {
            let back = "@\(name) - interval '\(years) years'"
            guard name == column, isOptional else { return back }
            return "CASE WHEN @\(name) = \(start(years)) THEN NULL ELSE \(back) END"
        }
        func moved(_ name: String, _ years: Int, from base: String) -> Assignment {
            let later = "\(base) + interval '\(years) years'"
            return Assignment(
                column: name,
                away: name == column && isOptional
                    ? "coalesce(\(later), \(start(years)))" : later,
                back: back(name, years), through: name == column ? "now()" : back(name, years))
        }
        /// A skipped row that was held keeps its original time.
        func own(_ name: String) -> String {
            "(CASE WHEN \(isHeld) THEN \(back(name, 4000)) ELSE @\(name) END)"
        }
        let columns = [column] + others
        return HoldStrategy(
            time: column, held: isHeld, skipped: isSkipped,
            heldUntil: "now() + interval '4000 years'", kind: .time,
            assignments: columns.map { moved($0, 4000, from: "@\($0)") },
            skips: columns.map { moved($0, 7000, from: own($0)) }, watched: [column] + watched,
            due: "CASE WHEN \(isSkipped) THEN \(back(column, 7000)) ELSE \(own(column)) END")
    }

    /// A hold by a state that no worker fetches. `notes` is a JSON column that marks the row as
    /// held by Sluice.
    static func state(
        _ column: String, away: String, ready: String, notes: String, time: String
    ) -> HoldStrategy {
        func marked(_ word: String) -> [Assignment] {
            [
                Assignment(column: column, away: away, back: ready, through: ready),
                Assignment(
                    column: notes,
                    away: "@\(notes) || jsonb_build_object('sluice', '\(word)')",
                    back: "@\(notes) - 'sluice'", through: "@\(notes) - 'sluice'"),
            ]
        }
        func isMarked(_ word: String) -> String {
            "@\(column) = \(away) AND @\(notes)->>'sluice' = '\(word)'"
        }
        return HoldStrategy(
            time: time, held: isMarked("held"), skipped: isMarked("skipped"), heldUntil: "NULL",
            kind: .state,
            assignments: marked("held"), skips: marked("skipped"), watched: [column],
            due: "@\(time)")
    }

    /// A hold that other tables record. This value only knows how to recognise its rows.
    static func elsewhere(held: String, skipped: String, time: String) -> HoldStrategy {
        HoldStrategy(
            time: time, held: held, skipped: skipped, heldUntil: "NULL", kind: .elsewhere,
            assignments: [], skips: [], watched: [], due: "@\(time)")
    }

    /// The condition of ready rows with a later time. It is false for a hold by state, because
    /// those workers ignore the time of a ready row.
    func isLater(_ ready: String) -> String {
        isByTime ? "\(ready) AND @\(time) > now()" : "false"
    }

    func isHeld(_ ready: String) -> String { isByTime ? "(\(ready) AND \(held))" : "(\(held))" }
    /// Held rows that their system would not start yet.
    func isHeldLater(_ ready: String) -> String {
        isByTime ? "(\(ready) AND \(held) AND @\(time) > \(heldUntil))" : "false"
    }
    /// Held rows that wait for the end of the hold alone.
    func isHeldDue(_ ready: String) -> String {
        isByTime ? "(\(ready) AND \(held) AND @\(time) <= \(heldUntil))" : isHeld(ready)
    }
    func isSkipped(_ ready: String) -> String {
        isByTime ? "(\(ready) AND \(skipped))" : "(\(skipped))"
    }
    /// Rows that a hold has to put away.
    func isFree(_ ready: String) -> String {
        isByTime ? "\(ready) AND (\(held) OR \(skipped)) IS NOT TRUE" : ready
    }
    /// Rows that wait, held or not, part by part, each with what its rows show.
    func parts(_ ready: String) -> [(condition: String, displays: [ForeignTask.Display])] {
        let free: [ForeignTask.Display] = [.next, .due, .delayed, .retrying]
        guard kind == .state else { return [(ready, free + [.held, .skipped])] }
        return [(ready, free), (held, [.held]), (skipped, [.skipped])]
    }
    /// The same, told apart by what the server's statistics know.
    func tallies(_ ready: String) -> [(condition: String, displays: [ForeignTask.Display])] {
        let aside: [(String, [ForeignTask.Display])] = [
            (isHeldDue(ready), [.held]), (isSkipped(ready), [.skipped]),
        ]
        guard isByTime else { return [(ready, [.next, .due])] + aside }
        return [
            ("\(ready) AND (@\(time) <= now() OR @\(time) IS NULL)", [.next, .due]),
            (timed(ready), [.delayed, .retrying]), (isHeldLater(ready), [.delayed, .retrying]),
        ] + aside
    }

    /// The condition of ready rows with a later time, without held and skipped ones.
    func timed(_ ready: String) -> String {
        isByTime ? "\(isLater(ready)) AND (\(held) OR \(skipped)) IS NOT TRUE" : "false"
    }

    var columns: [String] { assignments.map(\.column) }
    /// The same, with their values after the hold.
    var restored: [(column: String, value: String)] { assignments.map { ($0.column, $0.back) } }

    private static func setting(
        _ parts: [Assignment], _ value: (Assignment) -> String
    ) -> String {
        parts.map { "\($0.column) = \(value($0))" }.joined(separator: ", ")
    }

    var letting: String { Self.setting(assignments) { $0.through } }
    var bringingBack: String { Self.setting(assignments) { $0.back } }
    var skipping: String { Self.setting(skips) { $0.away } }
    var unskipping: String { Self.setting(skips) { $0.back } }

    /// For a queue without a hold: the former value of a held row's column.
    func restoring(_ column: String, isHeld: Bool) -> String {
        guard !isHeld, let part = assignments.first(where: { $0.column == column }) else {
            return "@\(column)"
        }
        return "CASE WHEN \(held) THEN \(part.back) ELSE @\(column) END"
    }
}

extension HoldStrategy {
    /// The name of the trigger of a queue.
    static func trigger(_ queue: String) -> String {
        let digits = queue.utf8.reduce(UInt64(0xcbf2_9ce4_8422_2325)) {
            ($0 ^ UInt64($1)) &* 0x100_0000_01b3
        }
        return "sluice_hold_" + String(digits, radix: 16)
    }

    /// How far a hold is: its rows are put away, and given back, part by part.
    enum Phase: String {
        case begins, ends

        /// The warning for a hold that a tool left in this phase when it died.
        var leak: String {
            switch self {
            case .begins: "what waited before is not all aside"
            case .ends: "a part of it was given back"
            }
        }
    }

    /// Writes the holder of a queue and the phase of the hold.
    static func saying(
        _ table: JobTable, _ queue: String, _ note: HoldNote, _ phase: Phase?
    ) throws -> String {
        let words: JSONValue = [
            "queue": .string(queue), "by": .string(note.by),
            "since": .integer(note.since.milliseconds), "reason": JSONValue(note.reason),
            "phase": JSONValue(phase?.rawValue),
        ]
        return """
            COMMENT ON TRIGGER \(trigger(queue)) ON \(table.table)
            IS \(try SQLSession.literal(words.text))
            """
    }

    /// The statements that begin a hold: a trigger catches every new row from then on.
    func beginning(
        _ table: JobTable, _ queue: String, _ note: HoldNote, _ session: SQLSession
    ) throws -> String {
        let name = Self.trigger(queue)
        let isIn = try table.isIn(queue, session)
        func new(_ fragment: String) -> String { JobTable.of("NEW", fragment) }
        let lines = assignments.map { "NEW.\($0.column) := \(new($0.away));" }
        return """
            CREATE OR REPLACE FUNCTION sluice_hold_\(table.function)() RETURNS trigger
            LANGUAGE plpgsql AS $sluice$ BEGIN
            \(lines.joined(separator: "\n"))
            RETURN NEW; END $sluice$;
            CREATE TRIGGER \(name) BEFORE INSERT OR UPDATE OF \(watched.joined(separator: ", "))
            ON \(table.table) FOR EACH ROW
            WHEN (\(new(isIn)) AND \(new(isFree(table.ready)))
            AND current_setting('sluice.release', true) IS DISTINCT FROM '1')
            EXECUTE FUNCTION sluice_hold_\(table.function)();
            \(try Self.saying(table, queue, note, .begins))
            """
    }

    /// Writes columns as they are, so that the trigger sees the row.
    var touching: String { watched.map { "\($0) = j.\($0)" }.joined(separator: ", ") }

    /// The holds of a table, by their queues.
    static func holds(_ table: JobTable, _ session: SQLSession) throws -> [ExactText: ForeignHold] {
        let rows = try session.rows(
            """
            SELECT obj_description(t.oid, 'pg_trigger') AS note FROM pg_trigger t
            WHERE t.tgrelid = '\(table.table)'::regclass AND t.tgname LIKE 'sluice\\_hold\\_%'
            """)
        var found: [ExactText: ForeignHold] = [:]
        for row in rows {
            guard let text = row["note"]?.string, let note = try? JSONValue.parse(text),
                let queue = note["queue"]?.string, let by = note["by"]?.string,
                let since = note["since"]?.integer
            else { continue }
            let kept = HoldNote(
                by: by, since: Timestamp(milliseconds: since), reason: note["reason"]?.string)
            let phase = note["phase"]?.string.flatMap(Phase.init)
            found[queue] = ForeignHold(note: kept, recipe: "trigger", leak: phase?.leak)
        }
        return found
    }
}

extension JobTable {
    var function: String { String(name.filter { $0.isLetter }) }
}
