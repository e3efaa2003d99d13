import SluiceModel
import SluiceSystem
import SluiceTestSupport
import Testing

/// One person's commands against workers that are other processes.
@Suite("end to end: driving", .serialized)
struct DrivingTests {
    @Test("D1 D2 D3 a queue is paused, stepped, explained and resumed from other processes")
    func driving() async throws {
        try await Workplace.onOwnThread {
            let place = try Workplace.withStore()
            try place.employWitness()
            try place.json(["queue", "set", "mail", "--keep-finished", "100"])
            let pause = try place.json(["pause", "mail", "--reason", "a look"])
            #expect(pause["state"] == "paused")
            #expect(pause["pauses"]?[0]?["cause"] == "person")
            #expect(pause["pauses"]?[0]?["by"] == "tester")
            #expect(pause["pauses"]?[0]?["reason"] == "a look")
            let ids = try place.enqueue("mail", count: 5)
            _ = try place.startWorker()

            let why = try place.json(["why", "#\(ids[0])"])
            #expect(why["runnable"] == false)
            #expect(why["blockers"]?.array?.compactMap { $0["kind"]?.string } == ["queuePaused"])
            #expect(why["blockers"]?[0]?["fix"] == "sluice resume mail")

            let step = try place.json(["step", "mail", "-n", "3"])
            #expect(step["stepped"]?.array?.compactMap { $0["id"]?.integer } == Array(ids[..<3]))
            #expect(step["stepped"]?[0]?["outcome"] == "success")
            #expect(step["next"]?.integer == ids[3])
            #expect(step["run"]?.isNull == true)
            #expect(place.testimony.tally("end").keys.sorted() == Array(ids[..<3]))

            let one = try place.json(["step", "--task", "#\(ids[4])"])
            #expect(one["stepped"]?.array?.compactMap { $0["id"]?.integer } == [ids[4]])

            let resume = try place.json(["resume", "mail"])
            #expect(resume["ended"]?.array?.count == 1)
            #expect(resume["pauses"]?.array == [])
            try place.wait(for: "the last task") { try place.count("mail", "succeeded") == 5 }
            #expect(place.testimony.tally("start").values.allSatisfy { $0 == 1 })
            let refused = try place.sluice(["step", "mail", "--json"])
            #expect(refused.code == 1)
            #expect(refused.errorCode == "notLegal")
        }
    }

    @Test("A2 a step whose worker dies says at once that it was lost, with nobody else there")
    func deadRunner() async throws {
        try await Workplace.onOwnThread {
            let place = try Workplace.withStore()
            try place.employWitness()
            try place.json(["queue", "set", "mail", "--retry", "fixed(1h)"])
            try place.json(["pause", "mail"])
            let ids = try place.enqueue("mail", count: 1)
            let worker = try place.startWorker(["--allow-crash"])
            try place.json(["fault", "queue:mail", "crash-before"])
            let answer = try place.sluice(["step", "mail", "--json"])
            #expect(answer.code == 0, "\(answer.errors)")
            #expect(answer.json["stepped"]?[0]?["id"]?.integer == ids[0])
            #expect(answer.json["stepped"]?[0]?["outcome"] == "lost")
            #expect(try worker.answer().exit == .signal(.kill))
        }
    }

    @Test("D3 step says what stands in the way; --check judges the attempt")
    func stepAnswers() async throws {
        try await Workplace.onOwnThread {
            let place = try Workplace.withStore()
            try place.employWitness()
            let words = ["--handlers", place.file("handlers.json")]
            try place.json(["queue", "set", "mail", "--retry", "fixed(1h)"])
            try place.json(["pause", "mail"])
            let empty = try place.sluice(["step", "mail", "--json"] + words)
            #expect(empty.code == 1)
            #expect(empty.json["stepped"]?.array == [])
            let ids = try place.enqueue("mail", payloads: [#"{"fail":9}"#])
            let noRunner = try place.sluice(["step", "mail", "--json"])
            #expect(noRunner.code == 1)
            #expect(noRunner.json["blockers"]?[0]?["kind"] == "noRunner")
            let failed = try place.sluice(["step", "mail", "--check", "--json"] + words)
            #expect(failed.code == 1)
            #expect(failed.json["stepped"]?[0]?["outcome"] == "retry")
            let waits = try place.sluice(["step", "mail", "--json"] + words)
            #expect(waits.code == 1)
            #expect(waits.json["blockers"]?[0]?["kind"] == "notBefore")
            #expect(place.testimony.tally("fail") == [ids[0]: 1])
        }
    }

    @Test("D3 of several steps those that were done are told, and why the rest was not (exit 3)")
    func partlyStepped() async throws {
        try await Workplace.onOwnThread {
            let place = try Workplace.withStore()
            try place.employWitness()
            try place.json(["queue", "set", "mail"])
            try place.json(["pause", "mail"])
            let ids = try place.enqueue("mail", payloads: [#"{"wait":"go"}"#, "{}"])
            _ = try place.startWorker()
            let step = try place.start(["step", "mail", "-n", "2", "--json"])
            try place.wait(for: "the first step") { place.testimony.count("ready") == 1 }
            try place.json(["resume", "mail"])
            try place.touch("go")
            let answer = try step.answer()
            #expect(answer.code == 3)
            #expect(answer.json["stepped"]?.array?.compactMap { $0["id"]?.integer } == [ids[0]])
            #expect(answer.json["error"]?["code"] == "notLegal")
        }
    }

    @Test("exit codes and errors are those of the contract", arguments: Contract.cases)
    func exitCodes(example: Contract) async throws {
        try await Workplace.onOwnThread {
            let place = try Workplace.withStore()
            try place.write(#"{"handlers":{"*":{"simulate":{}}}}"#, to: "handlers.json")
            try place.write("{", to: "bad.json")
            try place.json(["queue", "set", "mail"])
            let ids = try place.enqueue("mail", count: 1)
            #expect(ids == [1])
            let json = example.words.isEmpty ? [] : ["--json"]
            let answer = try place.sluice(example.words + json)
            #expect(answer.code == example.code, "\(answer)")
            #expect(answer.errorCode == example.error, "\(answer)")
        }
    }

    @Test("work --until-empty runs what is there, retries too, and ends with 0")
    func untilEmpty() async throws {
        try await Workplace.onOwnThread {
            let place = try Workplace.withStore()
            try place.employWitness()
            try place.json(["queue", "set", "mail", "--retry", "fixed(50ms)"])
            let payloads = (0..<20).map { $0 % 5 == 0 ? #"{"fail":1}"# : "{}" }
            let ids = try place.enqueue("mail", payloads: payloads)
            let words = ["work", "--handlers", place.file("handlers.json"), "--until-empty"]
            let answer = try place.sluice(words + ["--json"])
            #expect(answer.code == 0)
            let lines = answer.output.split(separator: "\n").compactMap {
                try? JSONValue.parse(Array($0.utf8))
            }
            #expect(lines.count { $0["outcome"] == "success" } == 20)
            #expect(lines.count { $0["outcome"] == "retry" } == 4)
            #expect(place.testimony.tally("end").keys.sorted() == ids)
            #expect(try place.json(["runners"])["runners"]?.array == [])
            #expect(place.processes() == [])
        }
    }
}

/// A command with the exit code and the error that the contract promises for it.
struct Contract: Sendable, CustomTestStringConvertible {
    var words: [String]
    var code: Int32
    var error: String?

    init(_ words: String..., code: Int32, error: String? = nil) {
        self.words = words
        self.code = code
        self.error = error
    }

    var testDescription: String { "\(words.joined(separator: " ")) → \(code)" }

    static let cases = [
        Contract(code: 2, error: nil),
        Contract("frobnicate", code: 2, error: "badValue"),
        Contract("pause", code: 2, error: "badValue"),
        Contract("pause", "mail", "--fro", code: 2, error: "badValue"),
        Contract("step", "mial", code: 1, error: "unknownQueue"),
        Contract("show", "#99", code: 1, error: "unknownTask"),
        Contract("step", "mail", code: 1),
        Contract("work", code: 2, error: "badHandlers"),
        Contract("work", "--handlers", "none.json", code: 2, error: "badHandlers"),
        Contract("work", "--handlers", "bad.json", code: 2, error: "badHandlers"),
        Contract("run", "mail", "--handlers", "handlers.json", code: 0),
        Contract("step", "mail", "--handlers", "handlers.json", "--check", code: 0),
        Contract("delete", "#98", "#99", code: 1),
        Contract("delete", "#1", "#99", code: 3),
        Contract("delete", "#99", code: 1, error: "unknownTask"),
        Contract("list", "--filter", "((", code: 2, error: "badFilter"),
        Contract("postpone", "#1", "whenever", code: 2, error: "badValue"),
        Contract("priority", "#1", "-3", code: 0),
        Contract("enqueue", "mail", "bad\ttype", code: 2, error: "badName"),
        Contract("pause", "mail", "--read-only", code: 1, error: "readOnly"),
        Contract("retry", "#1", code: 0),
        Contract("undo", "77", code: 2, error: "badValue"),
    ]
}

extension DrivingTests {
    @Test("D4 a run by its own process executes as many at once as its queue, each once")
    func runSideBySide() async throws {
        try await Workplace.onOwnThread {
            let place = try Workplace.withStore()
            try place.employWitness()
            let handlers = ["--handlers", place.file("handlers.json")]
            try place.json(["queue", "set", "mail", "--start", "manual", "--concurrency", "3"])
            let ids = try place.enqueue(
                "mail", payloads: Array(repeating: #"{"wait":"go"}"#, count: 7))
            let run = try place.start(["run", "mail", "--json"] + handlers)
            try place.wait(for: "three at once") { place.testimony.count("ready") == 3 }
            try place.touch("go")
            let answer = try run.answer()
            #expect(answer.code == 0, "\(answer.errors)")
            #expect(answer.json["stepped"]?.array?.count == 7)
            #expect(answer.json["run"]?["state"] == "ended")
            #expect(place.testimony.tally("start").values.allSatisfy { $0 == 1 })
            #expect(place.testimony.crowd == 3)
            #expect(place.testimony.breaches(of: ids, concurrency: 3) == [])
        }
    }

    @Test("D1 pause --now says of what runs that it is told to stop, and not that it is let finish")
    func pauseNow() async throws {
        try await Workplace.onOwnThread {
            let place = try Workplace.withStore()
            try place.employWitness()
            _ = try place.enqueue("mail", payloads: [#"{"wait":"go","deaf":1}"#])
            _ = try place.startWorker()
            try place.wait(for: "the task") { place.testimony.count("ready") == 1 }
            let now = try place.sluice(["pause", "mail", "--now"])
            #expect(now.output.contains("is asked to stop"))
            #expect(!now.output.contains("running tasks finish"))
            try place.touch("go")
        }
    }

    @Test("D2 a worker of a queue that is not there says so, and serves it when it comes")
    func workOfMissingQueue() async throws {
        try await Workplace.onOwnThread {
            let place = try Workplace.withStore()
            try place.employWitness()
            try place.json(["queue", "set", "mails"])
            let worker = try place.startWorker(["--queues", "mail,mails"])
            try place.wait(for: "its word", isPolled: true) {
                worker.errors.contains(
                    #"there is no queue "mail" yet, and it is served once it is there"#)
            }
            #expect(worker.errors.contains(#"did you mean "mails"?"#))
            #expect(!worker.errors.contains(#"no queue "mails""#))
            _ = try place.enqueue("mail", count: 1)
            try place.wait(for: "its task") { place.testimony.count("end") == 1 }
        }
    }
}
