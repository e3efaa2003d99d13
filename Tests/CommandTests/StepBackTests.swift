import SluiceControl
import SluiceModel
import SluiceStore
import Testing

@testable import SluiceCommand

/// `step --back` at the command line.
@Suite("Steps back")
struct StepBackTests {
    private var bench = Bench()

    /// A paused queue after a step of its first task, with follow-ups.
    private func prepare(_ followUps: [FollowUp] = []) throws {
        #expect(bench("enqueue profiles identify {\"user\":7}").exit == .done)
        #expect(bench("enqueue profiles track").exit == .done)
        #expect(bench("pause profiles").exit == .done)
        try bench.store.writeBlocking { store in
            try store.transact(at: Bench.start) { mutation in
                let runner = try mutation.attach(
                    ProcessRecord(
                        id: 0, role: .runner, host: "h", bootID: "b", pid: 7, lockName: "l",
                        attachedAt: Bench.start))
                let task = try #require(try mutation.store.task(1))
                let claimed = try mutation.start(task, runner: runner, isStep: true)
                var completion = Completion(
                    task: 1, token: try #require(claimed.task.running?.token),
                    ending: .handler(.success(result: nil)))
                completion.followUps = followUps
                _ = try mutation.settle([completion])
                _ = try mutation.detach(runner.id)
            }
        }
    }

    @Test("G5 step --back takes the newest step back, and says which effect stays")
    func takesBack() throws {
        try prepare()
        let answer = bench("step --back")
        #expect(answer.exit == .done, "\(answer.errors)")
        let lines = answer.output.split(separator: "\n")
        #expect(lines.first == "step of #1 identify undone by dana")
        #expect(lines.dropFirst().first == "  effects outside the store stay: 1 execution")
        #expect(answer.output.contains("#1 identify attempt 1 success at "))
        #expect(answer.output.contains("undo with: sluice undo"))
        #expect(bench("show 1 --json").json["state"] == "waiting")
        #expect(bench("undo").exit == .done)
        #expect(bench("show 1 --json").json["state"] == "succeeded")
        let json = bench("step --back profiles --json").json
        #expect(json.object?.keys == ["restored", "changed", "effects", "undo"])
        #expect(json["restored"] == "step of #1" && json["changed"] == 1)
        #expect(json["effects"]?.array?.first?["outcome"] == "success")
        #expect(bench("log --script").output.contains("sluice step --back profiles\n"))
    }

    @Test("with --quiet a step that succeeds says nothing, one that fails or cannot start does")
    func quiet() {
        func lines(_ outcome: AttemptRecord.Outcome?) -> Reply {
            var answer = StepAnswer()
            if let outcome {
                let task = QueueTask(
                    id: 1, queue: "q", type: "t", position: 1, createdAt: Bench.start)
                var attempt = AttemptRecord(
                    task: task, number: 1, runner: 1, startedAt: Bench.start)
                attempt.outcome = outcome
                answer.stepped = [Stepped(attempt)]
            }
            return StepText.reply(answer, names: TaskNames())
        }
        #expect(lines(.success).isConfirmation)
        #expect(!lines(.retry).isConfirmation && !lines(nil).isConfirmation)
    }

    @Test(
        "G5 what is no step back is refused with what to do",
        arguments: [
            ("step --back", "notLegal"), ("step --back nope", "unknownQueue"),
            ("step --back -n 2", "badValue"), ("step --back --task 1", "badValue"),
            ("step --back profiles other", "badValue"), ("step --back --check", "badValue"),
        ])
    func refused(_ line: String, _ code: String) {
        #expect(bench("enqueue profiles track").exit == .done)
        let outcome = bench("\(line) --json")
        #expect(outcome.errorCode == code && outcome.exit != .done, "\(outcome.errors)")
    }

    @Test("G5 what others did since stays, is named, and ends with 3")
    func partly() throws {
        try prepare([FollowUp(queue: "other", type: "made")])
        #expect(bench("priority 3 5 --by eve").exit == .done)
        let answer = bench("step --back")
        #expect(answer.exit == .partlyDone, "\(answer.output)")
        #expect(answer.output.contains("#3"), "\(answer.output)")
        #expect(bench("show 3 --json").json["state"] == "waiting")
        #expect(bench("undo").exit == .done)
        let json = bench("step --back --json").json
        #expect(json["failed"]?.array?.map { $0["id"] } == [3] && json["consequences"] == [])
        #expect(bench("show 1 --json").json["state"] == "waiting")
    }
}
