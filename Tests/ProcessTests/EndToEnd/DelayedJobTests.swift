import SluiceModel
import SluiceSystem
import SluiceTestSupport
import Testing

/// iDelayedJob's own test with commands: two queues without workers, run manually.
@Suite("end to end: delayed jobs", .serialized)
struct DelayedJobTests {
    @Test("IDJ-01 IDJ-02 IDJ-03 IDJ-17 jobs of two queues are scheduled, then run by hand")
    func byHand() async throws {
        try await Workplace.onOwnThread {
            let place = try Workplace.withStore()
            try place.write(
                #"{"handlers":{"fails":{"simulate":{"fail":99}},"*":{"simulate":{}}}}"#,
                to: "handlers.json")
            for name in ["primary", "secondary"] {
                try place.json(["queue", "set", name, "--preset", "delayed-job"])
            }
            try place.json(["enqueue", "secondary", "job", "--priority", "5"])
            try place.json(
                ["enqueue", "primary", "job", #"["arg1"]"#, "--priority", "10"]
                    + ["--requires", "network"])
            for (name, priority) in [("primary", 10), ("secondary", 5)] as [(String, Int64)] {
                let tasks = try place.json(["list", name])["tasks"]?.array ?? []
                #expect(tasks.count == 1)
                #expect(tasks.first?["queue"]?.string == name)
                #expect(tasks.first?["priority"]?.integer == priority)
                #expect(tasks.first?["attempts"] == 0)
                #expect(tasks.first?["reference"]?.string?.hasPrefix("#") == true)
            }
            #expect(try place.json(["show", "2"])["payload"] == ["arg1"])

            // Ignore the real network of the machine.
            try place.json(["network", "on"])
            let handlers = ["--handlers", place.file("handlers.json")]
            let first = try place.json(["run", "primary"] + handlers)
            #expect(first["stepped"]?.array?.count == 1)
            #expect(try place.count("primary", "waiting") == 0)

            try place.json(["enqueue", "secondary", "fails", "--priority", "8"])
            #expect(try place.count("secondary", "waiting") == 2)
            let second = try place.json(["run", "secondary"] + handlers)
            let outcomes = second["stepped"]?.array?.compactMap { $0["outcome"]?.string }
            #expect(outcomes == ["retry", "success"])
            let left = try place.json(["list", "secondary"])["tasks"]?.array ?? []
            #expect(left.compactMap { $0["type"]?.string } == ["fails"])
            #expect(left.first?["attempts"] == 1)
        }
    }

    @Test("IDJ-17 a run that a worker executes says all jobs that it did, and a step the one")
    func byWorker() async throws {
        try await Workplace.onOwnThread {
            let place = try Workplace.withStore()
            try place.write(#"{"handlers":{"*":{"simulate":{}}}}"#, to: "handlers.json")
            try place.json(["queue", "set", "primary", "--preset", "delayed-job"])
            try place.json(["pause", "primary"])
            let ids = try place.enqueue("primary", count: 4)
            let worker = try place.startWorker()
            func stepped(_ answer: JSONValue) -> [Int64] {
                answer["stepped"]?.array?.compactMap { $0["id"]?.integer } ?? []
            }
            #expect(stepped(try place.json(["step", "primary"])) == [ids[0]])
            #expect(stepped(try place.json(["run", "primary"])) == Array(ids[1...]))
            try place.dismiss([worker])
        }
    }

    @Test("IDJ-22 an argument that cannot be one is refused, and nothing is stored")
    func badArgument() async throws {
        try await Workplace.onOwnThread {
            let place = try Workplace.withStore()
            let line = #"{"type":"job","payload":{"broken":}}"# + "\n"
            let answer = try place.sluice(["enqueue", "q", "--jsonl", "-", "--json"], input: line)
            #expect(answer.code == 2)
            #expect(answer.errorCode == "badValue")
            #expect(try place.json(["queues"])["queues"]?.array == [])
        }
    }

    @Test("IDJ-30 a command is run once before a task goes for good, and its failure is in the log")
    func beforeDelete() async throws {
        try await Workplace.onOwnThread {
            let place = try Workplace.withStore()
            try place.write(
                """
                #!/bin/sh
                echo "$SLUICE_TASK_ID $SLUICE_ATTEMPT $SLUICE_OUTCOME $(cat)" >>cleaned
                test $SLUICE_OUTCOME = success && exit 3
                exit 0
                """, to: "cleanup", isProgram: true)
            try place.write(
                """
                {"handlers": {
                  "done": {"command": ["true"], "beforeDelete": ["./cleanup"]},
                  "hopeless": {"command": ["sh", "-c", "exit 65"], "beforeDelete": ["./cleanup"]},
                  "*": {"simulate": {"fail": 9}, "beforeDelete": ["./cleanup"]}}}
                """, to: "handlers.json")
            try place.json([
                "queue", "set", "q", "--retry", "fixed(0s)", "--attempts", "2",
                "--keep-finished", "9",
            ])
            for type in ["done", "hopeless", "fails", "gone"] {
                try place.json(["enqueue", "q", type, "{}"])
            }
            // A deletion by a person is not a last attempt.
            try place.json(["delete", "#4"])
            let work = ["work", "--handlers", place.file("handlers.json"), "--until-empty"]
            #expect(try place.sluice(work).code == 0)
            let cleaned = place.text("cleaned").split(separator: "\n").sorted()
            #expect(cleaned == ["1 1 success {}", "2 1 giveUp {}", "3 2 retry {}"])
            let log = try place.json(["show", "#1"])["attemptLog"]?[0]?["log"]?.array ?? []
            #expect(log == ["beforeDelete: it failed: exit code 3"])
            #expect(try place.count("q", "succeeded") == 1)
            #expect(try place.count("q", "failed") == 2)
        }
    }
}
