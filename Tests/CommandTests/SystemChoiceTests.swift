import SluiceSystem
import Testing

@testable import SluiceCommand

@Suite("Commands that name another system")
struct SystemChoiceTests {
    /// A database of two systems, each with a task in a queue `mail`.
    private final class Place {
        let folder: String
        var address: String { "sqlite:\(folder)/app.db" }

        init() throws {
            folder = try Files.makeTemporaryDirectory(prefix: "choice-")
            try Files.writeAtomically([], to: "\(folder)/app.db")
            let file = try SQLiteFile(path: "\(folder)/app.db")
            for statement in [
                """
                CREATE TABLE jobs (id integer PRIMARY KEY, queue varchar NOT NULL,
                payload text NOT NULL, attempts integer NOT NULL, reserved_at integer,
                available_at integer NOT NULL, created_at integer NOT NULL)
                """,
                """
                CREATE TABLE failed_jobs (id integer PRIMARY KEY, uuid varchar NOT NULL,
                connection text NOT NULL, queue text NOT NULL, payload text NOT NULL,
                exception text NOT NULL, failed_at datetime NOT NULL)
                """,
                """
                CREATE TABLE delayed_jobs (id integer PRIMARY KEY,
                priority integer DEFAULT 0 NOT NULL, attempts integer DEFAULT 0 NOT NULL,
                handler text NOT NULL, last_error text, run_at datetime, locked_at datetime,
                failed_at datetime, locked_by varchar, queue varchar, created_at datetime,
                updated_at datetime)
                """,
                #"INSERT INTO jobs VALUES (2, 'mail', '{"displayName":"Run"}', 0, NULL, 9, 9)"#,
                """
                INSERT INTO delayed_jobs (id, handler, run_at, queue, created_at)
                VALUES (7, '--- 1', '2026-01-01', 'mail', '2026-01-01')
                """,
            ] { _ = try file.rows(statement) }
        }

        deinit { try? Files.removeTree(folder) }
    }

    @Test("K8 why and doctor name the system in resume if two have a queue of that name")
    func twoSystems() throws {
        let (bench, place) = (Bench(), try Place())
        let held = bench("pause mail --as laravel --store \(place.address)")
        #expect(held.exit == .done, "\(held)")
        let way = "sluice resume --store \(place.address) mail --as laravel"
        let why = bench("why 2 --store \(place.address)")
        #expect(why.output.contains(way), "\(why)")
        let doctor = bench("doctor --store \(place.address)")
        #expect(doctor.output.contains("\(way) gives back"), "\(doctor)")
    }

    @Test("K8 why and doctor repeat --as of their own call once, with SLUICE_STORE too")
    func repeated() throws {
        let place = try Place()
        var bench = Bench()
        let store = "--store \(place.address)"
        #expect(bench("pause mail --as laravel \(store)").exit == .done)
        for command in ["why 2", "doctor"] {
            let answer = bench("\(command) --as laravel \(store)").output
            #expect(answer.contains("sluice resume \(store) --as laravel mail"), "\(answer)")
            #expect(answer.split(separator: "--as").count == 2, "\(answer)")
        }
        bench.environment["SLUICE_STORE"] = place.address
        for command in ["why 2", "doctor"] {
            let answer = bench("\(command) --as laravel").output
            #expect(answer.contains("sluice resume --as laravel mail"), "\(answer)")
        }
        let one = bench("resume mail --as laravel")
        #expect(one.exit == .done, "\(one)")
    }
}
