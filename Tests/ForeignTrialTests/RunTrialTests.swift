import SluiceModel
import SluiceProgramHarness
import SluiceRedisHarness
import Testing

@Suite("runs until a filter at other systems' queues", .enabled(if: TrialSize.canRun))
struct RunTrialTests {
    @Test("D4 X2 tasks go through one by one until the next one matches, with RQ's own worker")
    func until() async throws {
        try await Workplace.onOwnThread {
            let trial = try Trial(.rq)
            let first = try trial.send(1, 1)
            try trial.wait(for: "the first task runs") { trial.log == [1] }
            try first.answer()
            let queue = trial.system.queue
            let early = try trial.sluice(["run", queue, "--until", "payload.args[0]=1"])
            #expect(early.code == 1 && early.errors.contains("\(queue) is not held"), "\(early)")
            try trial.place.expecting(0, trial.sluice(["pause", queue]))
            let sender = try trial.send(100, 6)
            try sender.answer()
            let references = Trial.sent(sender)
            try trial.wait(for: "all are held") { try trial.held() == 6 }

            let run = ["run", queue, "--until", "payload.args[0]=103"]
            let answer = try trial.place.expecting(0, trial.sluice(run + ["--json"])).json
            #expect(answer["matched"] == true, "\(answer)")
            #expect(answer["next"]?.string == references[103], "\(answer)")
            #expect(answer["stepped"]?.array?.count == 3, "\(answer)")
            try trial.wait(for: "three ran") { trial.log == [1, 100, 101, 102] }

            let again = try trial.place.expecting(0, trial.sluice(run))
            #expect(again.output.contains("stopped before a task that matches"), "\(again)")
            #expect(trial.log == [1, 100, 101, 102])
            try trial.place.expecting(0, trial.sluice(["step", queue]))
            let rest = try trial.place.expecting(0, trial.sluice(run))
            #expect(rest.output.contains("no held task of \(queue) matches"), "\(rest)")
            try trial.wait(for: "all ran") { trial.log == [1] + Array(100..<106) }

            // A task that waits for its time is not the next one.
            let late = try trial.send(106, 2)
            try late.answer()
            try trial.wait(for: "two are held") { try trial.held() == 2 }
            let last = try #require(Trial.sent(late)[107])
            try trial.place.expecting(0, trial.sluice(["postpone", last, "1h"]))
            let step = try trial.place.expecting(0, trial.sluice(["step", queue, "--json"])).json
            #expect(step["stepped"]?.array?.count == 1 && step["next"] == .null, "\(step)")

            let bare = try trial.sluice(["run", queue])
            #expect(bare.code == 1 && bare.errors.contains("needs a filter"), "\(bare)")
            try trial.place.expecting(0, trial.sluice(["resume", queue]))
            try trial.end()
        }
    }
}
