import SluiceModel
import SluiceSystem
import SluiceTestSupport
import Testing

/// The programs of docs/workers, as the page shows them.
@Suite("the programs that stay of docs/workers")
struct WorkerExampleTests {
    static let folder = Project.folder + "/docs/workers"

    static var hasPython: Bool {
        (ProcessIdentity.environment("PATH") ?? "").split(separator: ":")
            .contains { Files.exists("\($0)/python3") }
    }

    private static func place(_ words: String) throws -> Workplace {
        let place = try Workplace.withStore()
        for name in ["worker.py", "worker.sh"] {
            let text = try Files.read("\(folder)/\(name)", limitBytes: 1 << 16)
            #expect(text.filter { $0 == UInt8(ascii: "\n") }.count <= 40)
            try place.write(String(decoding: text, as: UTF8.self), to: name, isProgram: true)
        }
        try place.write(
            #"{"handlers":{"*":{"process":[\#(words)],"copies":2}}}"#, to: "handlers.json")
        return place
    }

    private static func run(_ place: Workplace) throws {
        let words = ["work", "--handlers", place.file("handlers.json"), "--until-empty", "--quiet"]
        try place.expecting(0, place.sluice(words))
    }

    @Test(
        "A3 A7 worker.py says progress, log and result, and enqueues what follows",
        .enabled(if: hasPython))
    func python() async throws {
        try await Workplace.onOwnThread {
            let place = try Self.place(#""python3","worker.py""#)
            let ids = try place.enqueue("mail", payloads: [#"{"to":"kim","then":"ann"}"#, "{}"])
            try Self.run(place)
            let first = try place.json(["show", "\(ids[0])"])
            #expect(first["state"] == "succeeded" && first["result"] == ["greeted": "kim"])
            let attempt = first["attemptLog"]?[0]
            #expect(attempt?["log"] == ["hello kim"])
            let followed = try #require(first["followUps"]?[0]?.integer)
            let next = try place.json(["show", "\(followed)"])
            #expect(next["result"] == ["greeted": "ann"] && next["parent"]?.integer == ids[0])
            let second = try place.json(["show", "\(ids[1])"])
            #expect(second["state"] == "failed" && second["error"] == "the payload lacks 'to'")
        }
    }

    @Test("A3 A7 worker.sh answers, and its standard error stands in the log")
    func shell() async throws {
        try await Workplace.onOwnThread {
            let place = try Self.place(#""./worker.sh""#)
            try place.json(["queue", "set", "mail", "--attempts", "1"])
            let ids = try place.enqueue("mail", payloads: ["{}", #"{"fail":true}"#])
            try Self.run(place)
            let first = try place.json(["show", "\(ids[0])"])
            #expect(first["state"] == "succeeded")
            #expect(first["resultBase64"]?.string == Base64.encode(Array("done".utf8)))
            let log = first["attemptLog"]?[0]?["log"]?.array?.map(\.string)
            #expect(log == ["looking at #\(ids[0])"])
            let second = try place.json(["show", "\(ids[1])"])
            #expect(second["state"] == "failed" && second["error"] == "it was to fail")
        }
    }
}
