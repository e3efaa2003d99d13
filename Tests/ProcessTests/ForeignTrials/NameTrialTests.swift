import SluiceModel
import SluiceSystem
import SluiceTestSupport
import Testing

@Suite("queues of other systems whose names look the same", .enabled(if: RedisServer.isInstalled))
struct NameTrialTests {
    private static let composed = "\u{e9}"
    private static let decomposed = "e\u{301}"

    /// Jobs of RQ in two queues: one in the composed spelling, two in the decomposed one.
    private static func jobs() throws -> RedisServer {
        let server = try RedisServer()
        let redis = try server.connect()
        for (queue, ids) in [(composed, ["one-1"]), (decomposed, ["two-1", "two-2"])] {
            try redis.call("SADD", "rq:queues", "rq:queue:\(queue)")
            for id in ids {
                try redis.call(
                    "HSET", "rq:job:\(id)", "status", "queued", "origin", queue, "data",
                    #"["tasks.run",null,[1],{}]"#)
                try redis.call("RPUSH", "rq:queue:\(queue)", id)
            }
        }
        return server
    }

    @Test("D10 G7 filters, expectations and lists mean the queue whose bytes or codes they name")
    func names() async throws {
        try await Workplace.onOwnThread {
            let (server, place) = (try Self.jobs(), try Workplace())
            func answer(_ words: [String]) throws -> ProgramAnswer {
                try place.sluice(words + ["--store", server.address()])
            }
            let meant = [
                (Self.composed, ["one-1"]), (Self.decomposed, ["two-1", "two-2"]),
                ("\u{e9} (e9)", ["one-1"]), ("e\u{301} (301)", ["two-1", "two-2"]),
            ]
            for (name, ids) in meant {
                let listed = try answer(["list", "--filter", "queue:\"\(name)\"", "--json"])
                let tasks = try JSONValue.parse(listed.output)["tasks"]?.array ?? []
                #expect(tasks.compactMap { $0["id"]?.string } == ids, "\(name): \(listed)")
                let failed = try answer(["failures", name])
                #expect(failed.code == 0, "\(name): \(failed)")
                for condition in [
                    "count(queue:\"\(name)\") = \(ids.count)",
                    "count(not queue:\"\(name)\") = \(3 - ids.count)",
                    "not empty(\"\(name)\") and count(state:waiting) = 3",
                ] {
                    let held = try answer(["expect", condition])
                    #expect(held.code == 0, "\(condition): \(held)")
                }
            }
            let none = try answer(["expect", "empty(none)"])
            #expect(none.code == 1 && none.errors.contains("none"), "\(none)")
        }
    }
}
