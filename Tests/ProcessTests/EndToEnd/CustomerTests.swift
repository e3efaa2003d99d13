import SluiceModel
import SluiceSystem
import SluiceTestSupport
import Testing

/// The queue of Customer.io's SDK, worked off by commands and workers that are other processes.
@Suite("end to end: Customer.io", .serialized)
struct CustomerTests {
    @Test("CIO-53 a profile is sent once, however often its queue runs", arguments: [false, true])
    func identify(isFolder: Bool) async throws {
        let server = try ScriptedServer { try $0.answer(200, [], "{}") }
        try await Workplace.onOwnThread {
            let place = try Workplace.withStore()
            try place.write(
                #"{"handlers":{"*":{"http":{"url":"\#(server.url("/{type}"))"}}}}"#,
                to: "handlers.json")
            var words = ["--handlers", place.file("handlers.json")]
            if isFolder {
                let tasks = [CustomerTask(1, "identifyProfile")]
                words += ["--store", try place.makeCustomerFolder("site", tasks)]
            } else {
                try place.json(["queue", "set", "site", "--preset", "customer-io"])
                try place.json(["enqueue", "site", "identifyProfile", #"{"identifier":"ann"}"#])
            }
            let first = try place.json(["run", "site"] + words)
            #expect(first["stepped"]?.array?.map { $0["outcome"] } == ["success"])
            #expect(first["run"]?["state"] == "ended")
            let second = try place.json(["run", "site"] + words)
            #expect(second["stepped"]?.array == [])
            #expect(server.requests.map(\.path) == ["/identifyProfile"])
        }
    }

    @Test("Q4 A2 a run whose worker is killed is carried on by another, and its end is told once")
    func carriedOn() async throws {
        try await Workplace.onOwnThread {
            let place = try Workplace.withStore()
            try place.employWitness()
            try place.json(["queue", "set", "site", "--preset", "customer-io"])
            let ids = try place.enqueue("site", payloads: [#"{"wait":"go"}"#, "{}", "{}"])
            let first = try place.startWorker()
            let run = try place.start(["run", "site", "--json"])
            try place.wait(for: "the first task") { place.testimony.count("ready") == 1 }
            _ = try place.startWorker()
            // The queue runs one task at a time, across all workers.
            #expect(place.testimony.count("start") == 1)
            try first.signal(.kill)
            _ = try first.answer()
            let answer = try place.expecting(0, run.answer()).json
            #expect(answer["stepped"]?.array?.compactMap { $0["id"]?.integer } == ids)
            #expect(
                answer["stepped"]?.array?.map { $0["outcome"] } == ["lost", "success", "success"])
            #expect(answer["run"]?["state"] == "ended" && answer["run"]?["left"] == 1)
            #expect(place.testimony.tally("end").keys.sorted() == Array(ids[1...]))
            try place.touch("go")
            let next = try place.json(["run", "site"])
            #expect(next["stepped"]?.array?.compactMap { $0["id"]?.integer } == [ids[0]])
            #expect(place.testimony.tally("end") == [ids[0]: 1, ids[1]: 1, ids[2]: 1])
            #expect(place.testimony.overlaps == [])
            let log = try place.json(["log"])["events"]?.array ?? []
            #expect(log.count { $0["kind"] == "runEnded" } == 2)
        }
    }

    @Test("A3 D1 CIO-79 CIO-81 the pause after a 401 outlives the worker; the next asks nothing")
    func pause() async throws {
        let server = try ScriptedServer { talk in
            try talk.answer(talk.number == 1 ? 401 : 200, [], "{}")
        }
        try await Workplace.onOwnThread {
            let place = try Workplace.withStore()
            try place.write(
                #"{"handlers":{"*":{"http":{"url":"\#(server.url("/{type}"))"}}}}"#,
                to: "handlers.json")
            try place.json(["enqueue", "site", "a"])
            try place.json(["enqueue", "site", "b"])
            let first = try place.startWorker()
            try place.wait(for: "the pause") {
                try place.queue("site")["pauses"]?.array?.count == 1
            }
            try first.signal(.terminate)
            try place.expecting(0, first.answer())
            _ = try place.startWorker()
            try place.json(["enqueue", "other", "x"])
            try place.wait(for: "another queue") { server.requests.count == 2 }
            #expect(server.requests.map(\.path) == ["/a", "/x"])
            let pause = try place.queue("site")["pauses"]?[0]
            #expect(pause?["cause"] == "handler")
            #expect(pause?["reason"]?.string?.hasPrefix("HTTP 401 Unauthorized") == true)
            #expect(try place.count("site", "waiting") == 2)
            try place.json(["resume", "site"])
            try place.wait(for: "the rest") { server.requests.count == 3 }
            #expect(server.requests.map(\.path) == ["/a", "/x", "/b"])
        }
    }
}
