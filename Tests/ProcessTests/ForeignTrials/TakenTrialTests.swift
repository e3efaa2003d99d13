import SluiceModel
import SluiceSystem
import SluiceTestSupport
import Testing

@Suite("what Celery's workers have taken", .serialized, .enabled(if: RedisServer.isInstalled))
struct TakenTrialTests {
    /// Two messages that a worker took and has not acknowledged, and one that waits.
    private static func taken() throws -> RedisServer {
        let server = try RedisServer()
        let redis = try server.connect()
        try redis.call("SADD", "_kombu.binding.mail", "mail\u{6}\u{16}\u{6}\u{16}mail")
        func message(_ id: String) -> JSONValue {
            [
                "body": "W1sia2ltQGV4YW1wbGUub3JnIl0se30se31d",
                "headers": [
                    "id": .string(id), "task": "mail.send", "argsrepr": "('kim@example.org',)",
                    "kwargsrepr": "{'subject': 'hello'}",
                ],
                "content-type": "application/json", "properties": ["body_encoding": "base64"],
            ]
        }
        for id in ["taken-1", "taken-2"] {
            let value: JSONValue = [message(id), "", "mail"]
            try redis.call("HSET", "unacked", "tag-\(id)", value.text)
        }
        try redis.call("LPUSH", "mail", message("waits-1").text)
        return server
    }

    @Test("what no key tells to run is told to be taken, in list, counts, page and why")
    func commands() async throws {
        try await Workplace.onOwnThread {
            let (server, place) = (try Self.taken(), try Workplace())
            let store = ["--store", server.address()]
            let list = try place.expecting(0, place.sluice(["list", "mail", "--json"] + store))
            let shown = (list.json["tasks"]?.array ?? []).map {
                "\($0["id"]?.string ?? "") \($0["state"]?.string ?? "") "
                    + "\($0["display"]?.string ?? "")"
            }.sorted()
            #expect(
                shown == [
                    "taken-1 running taken", "taken-2 running taken", "waits-1 waiting next",
                ])
            let queues = try place.expecting(0, place.sluice(["queues", "--json"] + store))
            let counts = queues.json["queues"]?[0]?["counts"]
            #expect(counts?["taken"]?.integer == 2 && counts?["running"]?.integer == 2)
            let table = try place.expecting(0, place.sluice(["queues"] + store)).output
            #expect(table.contains("TAKEN"), "\(table)")
            let why = try place.expecting(0, place.sluice(["why", "taken-1"] + store))
            #expect(
                why.output == "taken-1: taken; no worker answers; Celery gives it back after its "
                    + "visibility timeout, an hour unless its app says otherwise\n")
            let page = try place.expecting(0, place.sluice(["show", "taken-1"] + store))
            #expect(page.output.contains("mail.send  taken") && page.output.contains("kim@example"))
        }
    }

    @Test("K5 the console says so too, and what each is called with", arguments: [120, 80])
    func console(columns: Int) throws {
        let server = try Self.taken()
        let console = try TerminalSession(
            BuiltProgram.path(), [server.address()],
            environment: ["HOME=\(server.folder)", "LANG=C.UTF-8", "PATH=/usr/bin:/bin"],
            columns: columns, rows: 24)
        try console.wait(forText: "taken 2", timeoutSeconds: 60)
        if columns == 120 {
            try console.wait(forText: "taken by a worker", timeoutSeconds: 60)
        }
        let screen = try console.screen.text
        #expect(!screen.contains("worker 0") && !screen.contains("running 2"), "\(screen)")
        try console.send("w")
        try console.wait(forText: "is taken by a worker", timeoutSeconds: 60)
        try console.send("qq")
        #expect(try console.waitForExit() == .code(0))
    }
}
