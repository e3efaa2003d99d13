import SluiceModel
import SluiceTestSupport
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

    @Test(
        "D3 X2 list, step and run agree on the next task, where one before it waits for its time",
        arguments: [Trial.System.celery, .huey, .hueyRedis])
    func timed(system: Trial.System) async throws {
        try await Workplace.onOwnThread { try Self.tryTimed(Trial(system)) }
    }

    private static func tryTimed(_ trial: Trial) throws {
        let queue = trial.system.queue
        let first = try trial.send(1, 1)
        try trial.wait(for: "the first task runs") { trial.log == [1] }
        try first.answer()
        try trial.place.expecting(0, trial.sluice(["pause", queue]))
        let late = try trial.send(100, 1, kind: ["later"])
        try late.answer()
        let due = try trial.send(101, 2)
        try due.answer()
        let references = Trial.sent(due)
        var tasks: [JSONValue] = []
        try trial.wait(for: "all are in the list") {
            tasks = try trial.sluice(["list", queue, "--json"]).json["tasks"]?.array ?? []
            return tasks.compactMap { $0["display"]?.string } == ["delayed", "next", "due"]
                || tasks.compactMap { $0["display"]?.string } == ["next", "due", "delayed"]
        }
        let next = tasks.first { $0["display"]?.string == "next" }
        #expect(next?["id"]?.string == references[101], "\(tasks)")

        let step = try trial.place.expecting(0, trial.sluice(["step", queue, "--json"])).json
        #expect(step["stepped"]?[0]?["id"]?.string == references[101], "\(step)")
        #expect(step["next"]?.string == references[102], "\(step)")
        try trial.wait(for: "it ran") { trial.log == [1, 101] }
        let run = ["run", queue, "--until", "payload.args[0]=999", "--json"]
        let rest = try trial.place.expecting(0, trial.sluice(run)).json
        #expect(rest["stepped"]?[0]?["id"]?.string == references[102], "\(rest)")
        try trial.wait(for: "the other one ran") { trial.log == [1, 101, 102] }

        // A task that waits for its time is stepped by its name alone.
        let none = try trial.place.expecting(1, trial.sluice(["step", queue]))
        #expect(none.output.contains("nothing of \(queue) is held"), "\(none)")
        let name = try #require(Trial.sent(late)[100])
        let named = try trial.place.expecting(0, trial.sluice(["step", "--task", name, "--json"]))
        #expect(named.json["stepped"]?[0]?["id"]?.string == name, "\(named)")
        try trial.place.expecting(0, trial.sluice(["resume", queue]))
        let after = try trial.sluice(["step", queue])
        #expect(after.code == 1 && after.errors.contains("is not held"), "\(after)")
        #expect(trial.log == [1, 101, 102])
        try trial.end()
    }
}
