import SluiceModel
import SluiceSystem
import SluiceTestSupport
import Testing

@Suite(
    "verbs at RabbitMQ's own queues", .serialized,
    .enabled(if: TrialSize.canRun && RabbitServer.isInstalled))
struct RabbitTrialTests {
    /// The ids of a queue's tasks, in their order.
    private static func ids(_ trial: Trial, _ queue: String) throws -> [String] {
        let list = try trial.place.expecting(0, trial.sluice(["list", queue, "--json"])).json
        return (list["tasks"]?.array ?? []).compactMap { $0["id"]?.string }
    }

    private static func payload(_ trial: Trial, _ id: String) throws -> JSONValue? {
        try trial.place.expecting(0, trial.sluice(["show", id, "--json"])).json["payload"]
    }

    @Test("X2 X4 a held message is edited, skipped, stepped and put back for its consumer")
    func verbs() async throws {
        try await Workplace.onOwnThread {
            let trial = try Trial(.pikaRabbit)
            try trial.send(1, 1).answer()
            try trial.wait(for: "the first task runs") { trial.log == [1] }
            let held = try trial.place.expecting(0, trial.sluice(["pause", "mail"]))
            #expect(held.output.contains("no exchange is bound to it"), "\(held)")
            try trial.send(100, 3).answer()
            try trial.wait(for: "all are held") { try trial.held() == 3 }
            try trial.place.expecting(0, trial.sluice(["edit", "m100", "--payload", "500"]))
            #expect(try Self.ids(trial, "mail") == ["m101", "m102", "m100"])
            #expect(try Self.payload(trial, "m100") == 500)
            try trial.place.expecting(0, trial.sluice(["undo"]))
            #expect(try Self.payload(trial, "m100") == 100)
            try trial.place.expecting(0, trial.sluice(["edit", "m100", "--payload", "600"]))
            try trial.place.expecting(0, trial.sluice(["skip", "m101"]))
            let skipped = try trial.sluice(["step", "--task", "m101"])
            #expect(
                skipped.code == 1 && skipped.errors.contains("skipped")
                    && skipped.errors.contains("sluice unskip"), "\(skipped)")
            let refused = try trial.sluice(["priority", "m102", "4"])
            #expect(refused.code == 1 && refused.errors.contains("has no priorities"), "\(refused)")
            let early = try trial.sluice(["retry", "m102"])
            #expect(early.code == 1 && early.errors.contains("was not dead-lettered"), "\(early)")
            for (id, number) in [("m102", 102), ("m100", 600)] {
                try trial.place.expecting(0, trial.sluice(["step", "--task", id]))
                try trial.wait(for: "\(number) runs") { trial.log.last == number }
            }
            try trial.place.expecting(0, trial.sluice(["resume", "mail"]))
            // The broker itself counts every five seconds.
            let queue = try trial.place.expecting(0, trial.sluice(["queues", "--json"]))
                .json["queues"]?.array?.first { $0["name"] == "mail" }
            #expect(queue?["due"] == 0 && queue?["counts"]?["skipped"] == 1, "\(queue ?? nil)")
            #expect(queue?["estimated"]?.array?.contains("waiting") == false, "\(queue ?? nil)")
            try trial.place.expecting(0, trial.sluice(["unskip", "m101"]))
            try trial.wait(for: "all ran") { trial.log == [1, 102, 600, 101] }
            try trial.end()
        }
    }

    @Test("X4 a dead-lettered message goes back to where it died, and undo takes it back")
    func deadLetters() async throws {
        try await Workplace.onOwnThread {
            let trial = try Trial(.pikaRabbit)
            try trial.run(["rabbit_more.py", "dead"])
            try trial.wait(for: "the dead letters") {
                try Self.ids(trial, "dead") == ["d0", "d1", "d2"]
            }
            // The broker itself counts every five seconds.
            try trial.wait(for: "the failed tasks") {
                let queues = try trial.sluice(["queues", "--json"]).json["queues"]?.array
                let dead = queues?.first { $0["name"] == "dead" }
                return dead?["counts"]?["failed"] == 3 && dead?["counts"]?["waiting"] == 0
            }
            let failures = try trial.place.expecting(0, trial.sluice(["failures"]))
            #expect(failures.output.contains("rejected in main, 1 time"), "\(failures)")
            let failed = try trial.place.expecting(
                0, trial.sluice(["list", "--filter", "state:failed", "--json"]))
            #expect(
                failed.json["tasks"]?.array?.map { $0["id"]?.string } == ["d0", "d1", "d2"],
                "\(failed)")
            try trial.place.expecting(0, trial.sluice(["delete", "d2"]))
            #expect(try Self.ids(trial, "dead") == ["d0", "d1"])
            try trial.place.expecting(0, trial.sluice(["undo"]))
            #expect(try Self.ids(trial, "dead") == ["d0", "d1", "d2"])
            try trial.place.expecting(0, trial.sluice(["retry", "d1"]))
            #expect(try Self.ids(trial, "dead") == ["d0", "d2"])
            #expect(try Self.ids(trial, "main") == ["d1"])
            try trial.place.expecting(0, trial.sluice(["pause", "main"]))
            let back = try trial.place.expecting(0, trial.sluice(["retry", "d0"]))
            #expect(back.output.contains("it is in main, held"), "\(back)")
            #expect(try Self.ids(trial, "main") == ["d1", "d0"])
            try trial.place.expecting(0, trial.sluice(["priority", "d0", "4"]))
            #expect(try Self.ids(trial, "main") == ["d0", "d1"])
            try trial.place.expecting(0, trial.sluice(["undo"]))
            #expect(try Self.ids(trial, "main") == ["d1", "d0"])
            try trial.place.expecting(0, trial.sluice(["undo"]))
            #expect(try Self.ids(trial, "dead") == ["d2", "d0"])
            let nobody = try trial.sluice(["step", "main"])
            #expect(nobody.code == 1 && nobody.errors.contains("no consumer serves"), "\(nobody)")
            try trial.place.expecting(0, trial.sluice(["resume", "main"]))
            #expect(try Self.ids(trial, "main") == ["d1"])
            try trial.end()
        }
    }

    @Test("X3 messages that slip through with a step are counted, and others are not")
    func slips() async throws {
        try await Workplace.onOwnThread {
            let trial = try Trial(.pikaRabbit)
            try trial.send(1, 1).answer()
            try trial.wait(for: "the first task runs") { trial.log == [1] }
            try trial.place.expecting(0, trial.sluice(["pause", "mail"]))
            func slipped() throws -> JSONValue? {
                let queues = try trial.sluice(["queues", "--json"]).json["queues"]?.array
                return queues?.first { $0["name"] == "mail" }?["pauses"]?[0]?["slipped"]
            }
            let arrivals = try trial.send(1000, 100_000, every: 0.001)
            try trial.wait(for: "the count has begun") { try slipped() == 0 }
            var steps = 0
            var ran: Int { trial.log.count - 1 - steps }
            while steps < 100, ran <= 0 {
                try trial.place.expecting(0, trial.sluice(["step", "mail"]))
                steps += 1
            }
            try trial.wait(for: "the stepped tasks run") { ran >= 0 }
            try trial.wait(for: "the count") { try slipped() == JSONValue(ran) }
            print("trial: \(ran) slipped through in \(steps) steps")
            try arrivals.child.signal(.kill)
            try arrivals.answer()
            if ran > 0 {
                let words = "~\(ran) slipped through to workers since the hold"
                let first = try Self.ids(trial, "mail").first ?? ""
                for command in [["queues"], ["why", first], ["doctor"]] {
                    let answer = try trial.place.expecting(0, trial.sluice(command))
                    #expect(answer.output.contains(words), "\(answer)")
                }
            }
            try trial.place.expecting(0, trial.sluice(["resume", "mail"]))
            try trial.end()
        }
    }

    @Test("X3 a queue whose messages another one gets too is held by a guard, and says which")
    func shared() async throws {
        try await Workplace.onOwnThread {
            let trial = try Trial(.exchangeRabbit)
            // An application or a worker that starts later would bind the queue again.
            let sender = try trial.send(1, 100, every: 0.2)
            try trial.wait(for: "the first task runs") { trial.log.contains(1) }
            try trial.wait(for: "both workers") {
                try trial.sluice(["runners", "--json"]).json["runners"]?.array?.count == 2
            }
            let sealed = try trial.place.expecting(0, trial.sluice(["pause", "mail"]))
            #expect(sealed.output.contains("orders brings new tasks to the held ones"))
            // The broker holds it without a process.
            try trial.killKeepers()
            let ran = trial.log.count
            try sender.answer()
            try trial.wait(for: "all are held or ran") {
                try trial.held() + trial.log.count == 100
            }
            // A worker may have had one in hand.
            #expect(trial.log.count <= ran + 2 && ran < 95)
            let first = try #require(try Self.ids(trial, "mail").first)
            for words in [["skip", first], ["edit", first, "--payload", "31"]] {
                try trial.place.expecting(0, trial.sluice(words))
                try trial.place.expecting(0, trial.sluice(["undo"]))
            }
            let shown = try trial.place.expecting(0, trial.sluice(["list", "mail", "--json"])).json
            let keys = (shown["tasks"]?.array ?? []).map { $0["type"]?.string }
            #expect(keys.count > 3 && keys.allSatisfy { $0 == "mail.new" }, "\(keys)")
            try trial.place.expecting(0, trial.sluice(["resume", "mail"]))
            try trial.wait(for: "all ran") { Set(trial.log) == Set(1...100) }
            #expect(trial.log.count == 100)
            try trial.run(["rabbit_more.py", "other"])
            let near = try trial.place.expecting(0, trial.sluice(["pause", "mail"]))
            #expect(
                near.output.contains("copies gets the same messages of the exchange orders"),
                "\(near)")
            try trial.place.expecting(0, trial.sluice(["resume", "mail"]))
            try trial.end()
        }
    }

    @Test("X3 a user that may set no policy, or a policy that is there, leaves the guard, named")
    func policies() async throws {
        try await Workplace.onOwnThread {
            let trial = try Trial(.exchangeRabbit)
            try trial.send(1, 1).answer()
            try trial.wait(for: "the first task runs") { trial.log == [1] }
            let port = try #require(trial.store.split(separator: "=").last.map(String.init))
            try trial.run(["rabbit_more.py", "user", port])
            let kim = ["--store", trial.store.replacing("guest:guest", with: "kim:kim")]
            let near = try trial.place.expecting(
                0, trial.place.sluice(["pause", "mail", "--by", "kim"] + kim))
            #expect(
                near.output.contains("this account may set no policy (its tag is policymaker)"),
                "\(near)")
            try trial.run(["rabbit_more.py", "bare"])
            try trial.send(100, 1).answer()
            try trial.wait(for: "it is held") { try trial.held() == 1 }
            try trial.place.expecting(0, trial.place.sluice(["resume", "mail"] + kim))
            try trial.wait(for: "it ran") { trial.log == [1, 100] }
            try trial.run(["rabbit_more.py", "policy", port])
            let other = try trial.place.expecting(0, trial.sluice(["pause", "mail"]))
            #expect(
                other.output.contains("the policy mine is set for the exchange orders"), "\(other)"
            )
            try trial.run(["rabbit_more.py", "bare"])
            try trial.place.expecting(0, trial.sluice(["resume", "mail"]))
            try trial.end()
        }
    }

    @Test("X3 a policy that takes the place of a hold's own during the hold is told")
    func overriddenPolicy() async throws {
        try await Workplace.onOwnThread {
            let trial = try Trial(.exchangeRabbit)
            try trial.send(1, 1).answer()
            try trial.wait(for: "the first task runs") { trial.log == [1] }
            try trial.place.expecting(0, trial.sluice(["pause", "mail"]))
            try trial.place.expecting(0, trial.sluice(["doctor"]))
            let port = try #require(trial.store.split(separator: "=").last.map(String.init))
            try trial.run(["rabbit_more.py", "above", port])
            let words = "the policy mine is set for the exchange orders instead of sluice.alt."
            try trial.wait(for: "the doctor's words") {
                let doctor = try trial.sluice(["doctor"])
                return doctor.code == 1 && doctor.output.contains(words)
            }
            try trial.place.expecting(0, trial.sluice(["resume", "mail"]))
            try trial.send(100, 1).answer()
            try trial.wait(for: "it ran") { trial.log == [1, 100] }
            try trial.end()
        }
    }

    @Test("X4 a policy that ends held messages is told, and refuses the next hold by its name")
    func lossyPolicy() async throws {
        try await Workplace.onOwnThread {
            let trial = try Trial(.pikaRabbit)
            try trial.send(1, 1).answer()
            try trial.wait(for: "the first task runs") { trial.log == [1] }
            try trial.place.expecting(0, trial.sluice(["pause", "mail"]))
            let port = try #require(trial.store.split(separator: "=").last.map(String.init))
            try trial.run(["rabbit_more.py", "short", port])
            let words = "the policy short gives sluice.held.mail a message-ttl"
            try trial.wait(for: "the doctor's words") {
                let doctor = try trial.sluice(["doctor"])
                return doctor.code == 1 && doctor.output.contains(words)
            }
            try trial.place.expecting(0, trial.sluice(["resume", "mail"]))
            let refused = try trial.sluice(["pause", "mail"])
            #expect(refused.code == 1 && refused.errors.contains(words), "\(refused)")
            #expect(try trial.held() == 0)
            try trial.send(100, 1).answer()
            try trial.wait(for: "it ran") { trial.log == [1, 100] }
            try trial.end()
        }
    }

    @Test("X4 a task is found among the first messages of a long queue, and after them")
    func long() async throws {
        try await Workplace.onOwnThread {
            let trial = try Trial(.pikaRabbit)
            try trial.send(1, 1).answer()
            try trial.wait(for: "the first task runs") { trial.log == [1] }
            try trial.place.expecting(0, trial.sluice(["pause", "mail"]))
            try trial.send(100, 520).answer()
            try trial.wait(for: "all are held") { try trial.held() == 520 }
            for id in ["m102", "m619"] { try trial.place.expecting(0, trial.sluice(["skip", id])) }
            for number in [618, 100] {
                try trial.place.expecting(0, trial.sluice(["step", "--task", "m\(number)"]))
                try trial.wait(for: "\(number) runs") { trial.log.last == number }
            }
            let gone = try trial.sluice(["step", "--task", "m618"])
            #expect(gone.code == 1 && gone.errors.contains("no task"), "\(gone)")
            for id in ["m619", "m102"] {
                try trial.place.expecting(0, trial.sluice(["unskip", id]))
            }
            #expect(try Self.ids(trial, "mail").prefix(2) == ["m101", "m103"])
            try trial.place.expecting(0, trial.sluice(["resume", "mail"]))
            try trial.wait(for: "all ran") { trial.log.count == 521 }
            #expect(Set(trial.log) == Set([1] + (100..<620)))
            try trial.end()
        }
    }
}
