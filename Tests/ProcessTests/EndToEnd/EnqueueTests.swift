import SluiceModel
import SluiceSystem
import SluiceTestSupport
import Testing

@Suite("end to end: enqueue", .serialized)
struct EnqueueTests {
    @Test("A3 a command handler enqueues into its own store, and its task is the parent")
    func fromHandler() async throws {
        try await Workplace.onOwnThread {
            let place = try Workplace.withStore()
            try place.employWitness()
            let command = #"["sh", "-c", "\"$SLUICE_PROGRAM\" enqueue mail job '{}'"]"#
            try place.write(
                #"{"handlers":{"parent":{"command":\#(command)},"*":{"command":["./witness"]}}}"#,
                to: "handlers.json")
            try place.json(["queue", "set", "mail", "--keep-finished", "9"])
            _ = try place.startWorker()
            let parent = try place.json(["enqueue", "mail", "parent"])["ids"]?[0]?.integer ?? 0
            try place.wait(for: "both tasks") { try place.count("mail", "succeeded") == 2 }
            let children = try place.json(["show", "#\(parent)"])["followUps"]?.array ?? []
            #expect(children.count == 1)
            let child = try place.json(["show", "#\(children[0].integer ?? 0)"])
            #expect(child["parent"]?.integer == parent)
            #expect(child["type"] == "job")
            #expect(place.testimony.count("end") == 1)
        }
    }

    @Test("T3 a bad line is named by its number, and nothing of the input is enqueued")
    func badLine() async throws {
        try await Workplace.onOwnThread {
            let place = try Workplace.withStore()
            let lines = "{\"type\":\"a\"}\n{\"type\":7}\n{\"type\":\"b\"}\n"
            let answer = try place.sluice(["enqueue", "mail", "--jsonl", "-"], input: lines)
            #expect(answer.code == 2)
            #expect(answer.errors.contains("line 2"))
            #expect(try place.list([]) == [])
            #expect(try place.json(["queues"])["queues"]?.array == [])
        }
    }

    @Test("T3 several processes make the same store at once, and all enqueue into it")
    func makers() async throws {
        try await Workplace.onOwnThread {
            for _ in 0..<Soak.count(5, soak: 100) {
                let place = try Workplace()
                let makers = try (0..<6).map { _ in
                    try place.start(["enqueue", "mail", "job", "--json"])
                }
                let ids = try makers.flatMap {
                    try place.expecting(0, $0.answer()).json["ids"]?.array?
                        .compactMap(\.integer) ?? []
                }
                #expect(ids.count == 6)
                #expect(try place.list(["mail"]).sorted() == ids.sorted())
            }
        }
    }

    @Test("P1 several processes enqueue at once: every id once, every task there")
    func writers() async throws {
        try await Workplace.onOwnThread {
            let place = try Workplace.withStore()
            let lines = String(repeating: "{\"type\":\"job\"}\n", count: 50)
            let many = try (0..<6).map { _ in
                try place.start(["enqueue", "mail", "--jsonl", "-", "--json"], input: lines)
            }
            let single = try (0..<12).map { _ in
                try place.start(["enqueue", "mail", "job", "--json"])
            }
            let ids = try (many + single).flatMap {
                try place.expecting(0, $0.answer()).json["ids"]?.array?.compactMap(\.integer) ?? []
            }
            #expect(ids.count == 312)
            #expect(try place.list(["mail"]).sorted() == ids.sorted())
            #expect(try place.count("mail", "waiting") == 312)
        }
    }
}
