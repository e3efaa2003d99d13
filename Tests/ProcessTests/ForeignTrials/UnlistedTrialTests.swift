import SluiceModel
import SluiceSystem
import SluiceTestSupport
import Testing

/// A system without a list of workers has no count of workers, and no condition about them.
@Suite("workers that no system lists", .serialized, .enabled(if: PostgresServer.isInstalled))
struct UnlistedTrialTests {
    /// A system, its title, and statements for a job that is due since twelve minutes.
    struct System: Sendable, CustomTestStringConvertible {
        let name: String
        let title: String
        let job: String

        var testDescription: String { name }
    }

    private static let past = "now() - interval '12 minutes'"
    private static let systems = [
        System(
            name: "oban", title: "Oban",
            job: """
                INSERT INTO oban_jobs (queue, worker, args, inserted_at, scheduled_at)
                VALUES ('mail', 'W', '{}', timezone('UTC', \(past)), timezone('UTC', \(past)))
                """),
        System(
            name: "river", title: "River",
            job: """
                INSERT INTO river_job (queue, kind, args, max_attempts, state, scheduled_at,
                created_at) VALUES ('mail', 'k', '{}', 25, 'available', \(past), \(past))
                """),
        System(
            name: "pgboss", title: "pg-boss",
            job: """
                SELECT pgboss.create_queue('mail', '{"policy":"standard"}');
                INSERT INTO pgboss.job (name, data, start_after, created_on)
                VALUES ('mail', '{}', \(past), \(past))
                """),
        System(
            name: "graphile", title: "Graphile Worker",
            job: "SELECT graphile_worker.add_job('mail', '{}'::json, run_at := \(past))"),
    ]

    /// A database with its tables and the job.
    private static func store(_ system: System) throws -> String {
        let server = try PostgresServer.shared()
        let name = "unlisted_\(server.newName())"
        try server.run("CREATE DATABASE \(name)")
        let path = "\(PythonPackages.programs)/Schemas/\(system.name).sql"
        var rest = String(decoding: try Files.read(path, limitBytes: 1 << 20), as: UTF8.self)[...]
        while let mark = rest.firstRange(of: "-- part\n") {
            try server.run(String(rest[..<mark.lowerBound]), in: name)
            rest = rest[mark.upperBound...]
        }
        try server.run(String(rest), in: name)
        try server.run(system.job, in: name)
        return server.address(name)
    }

    private static func open(_ store: String, in place: Workplace) throws -> TerminalSession {
        try TerminalSession(
            BuiltProgram.path(), [store],
            environment: ["HOME=\(place.path)", "LANG=C.UTF-8", "PATH=/usr/bin:/bin"],
            columns: 120, rows: 36)
    }

    @Test(
        "X1 two consoles and the commands say what is known of a queue, and of no worker",
        arguments: systems)
    func told(system: System) async throws {
        try await Workplace.onOwnThread {
            let (store, place) = (try Self.store(system), try Workplace())
            let words = "\(system.title) keeps no list of them"
            let workers = try place.expecting(0, place.sluice(["workers", "--store", store]))
            #expect(workers.output == "workers not known: \(words)\n")
            let queues = try place.expecting(
                0, place.sluice(["queues", "--json", "--store", store]))
            #expect(queues.json["queues"]?[0]?["state"]?.string == "waiting", "\(queues)")
            let consoles = try (0..<2).map { _ in try Self.open(store, in: place) }
            for console in consoles {
                try console.wait(forText: "oldest due 12m", timeoutSeconds: 60)
                let text = try console.screen.text
                #expect(text.contains("workers not known"), "\(text)")
                #expect(!text.contains("1 worker") && !text.contains("running"), "\(text)")
                try console.send("6")
                try console.wait(forText: "The workers are not known.", timeoutSeconds: 60)
                #expect(try console.screen.text.contains("\(words)."))
                try console.send("1")
            }
            // A hold by the first one is soon in the other one too.
            try consoles[0].send(":pause mail\r")
            try consoles[0].wait(forText: "in this session?", timeoutSeconds: 60)
            try consoles[0].send("y")
            // An answer of more than one line is a page of its own.
            try consoles[0].wait(forText: "mail: held by", timeoutSeconds: 60)
            try consoles[0].send("\u{1B}")
            for console in consoles {
                try console.wait(forText: "paused by", timeoutSeconds: 60)
            }
            try consoles[1].send(":resume mail\r")
            try consoles[1].wait(forText: "in this session?", timeoutSeconds: 60)
            try consoles[1].send("y")
            for console in consoles {
                try console.wait(forText: "oldest due 12m", timeoutSeconds: 60)
                try console.send("q")
                #expect(try console.waitForExit() == .code(0))
            }
        }
    }
}
