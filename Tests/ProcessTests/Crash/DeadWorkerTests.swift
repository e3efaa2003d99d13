import Sluice
import SluiceModel
import SluiceSystem
import SluiceTestSupport
import Testing

/// A killed worker, without another one to reclaim its tasks (A2).
@Suite("crash: a dead worker")
struct DeadWorkerTests {
    /// A store whose only worker was killed while it ran the first of two tasks.
    private func scene() throws -> (place: Workplace, ids: [Int64], pid: Int32) {
        let (place, ids, worker) = try living()
        try worker.signal(.kill)
        _ = try worker.answer()
        return (place, ids, worker.processID)
    }

    /// A store whose only worker runs the first of two tasks.
    private func living() throws -> (place: Workplace, ids: [Int64], worker: RunningProgram) {
        let place = try Workplace.withStore()
        try place.write(
            #"{"handlers":{"*":{"simulate":{"duration":"1h"}}}}"#, to: "handlers.json")
        let ids = try place.enqueue("mail", count: 2)
        let worker = try place.startWorker(["--slots", "1"])
        try place.wait(for: "the task") { try place.count("mail", "running") == 1 }
        return (place, ids, worker)
    }

    @Test("A2 whoever looks sees at once that a worker died, and that nothing runs")
    func seen() async throws {
        try await Workplace.onOwnThread {
            let (place, ids, pid) = try scene()
            let queue = try place.queue("mail")
            #expect(queue["counts"]?["running"] == 0)
            #expect(queue["counts"]?["waiting"] == 2)
            let figures = try place.json(["stats"])["queues"]?[0]
            #expect(figures?["counts"]?["running"] == 0 && figures?["counts"]?["waiting"] == 2)
            let task = try place.json(["show", "#\(ids[0])"])
            #expect(task["display"] == "stuck")
            let why = try place.json(["why", "#\(ids[0])"])
            #expect(why["blockers"]?[0]?["kind"] == "noRunner")
            #expect(why["blockers"]?[0]?["cause"] == "dead")
            #expect(try place.sluice(["why", "#\(ids[0])"]).output.contains("pid \(pid)"))
            #expect(try place.sluice(["queues"]).output.contains("1 lost: their worker died"))
            let other = try place.json(["why", "#\(ids[1])"])
            #expect(other["blockers"]?.array?.contains { $0["kind"] == "noRunner" } == true)
            let shown = try place.sluice(["show", "#\(ids[0])"]).output
            #expect(shown.contains("its worker died") && !shown.contains(" runs "), "\(shown)")
            #expect(
                try place.sluice(["report", "#\(ids[0])"]).output.contains("`its worker died`"))
            let exported = try place.sluice(["export", "-"])
            #expect(exported.errors.contains("an attempt whose worker died (1)"))
            #expect(!exported.errors.contains("resumes"), "\(exported.errors)")
            let metrics = try place.sluice(["metrics"]).output
            #expect(metrics.contains("\nsluice_runners 0\n"), "\(metrics)")
            #expect(metrics.contains(#"sluice_tasks_running{queue="mail",type="job"} 0"#))
            #expect(metrics.contains(#"sluice_tasks_waiting{queue="mail",type="job"} 2"#))
            let empty = try place.sluice(["expect", "empty(mail)"]).output
            #expect(empty.contains("2 waiting and 0 running in mail"), "\(empty)")
            // Who looks changes nothing.
            #expect(
                try place.json(["log"])["events"]?.array?.contains { $0["kind"] == "lost" } == false
            )
        }
    }

    @Test("A2 a pause does not wait for what a dead worker had in hand")
    func pause() async throws {
        try await Workplace.onOwnThread {
            let (place, ids, _) = try scene()
            let answer = try place.expecting(0, place.sluice(["pause", "mail"]))
            #expect(!answer.output.contains("running tasks finish"))
            #expect(try place.queue("mail")["state"] == "paused")
            #expect(try place.json(["show", "#\(ids[0])"])["state"] == "waiting")
            #expect(
                try place.json(["log"])["events"]?.array?.contains { $0["kind"] == "lost" } == true)
        }
    }

    @Test("A2 a task of a dead worker cannot be cancelled, for it does not run")
    func cancel() async throws {
        try await Workplace.onOwnThread {
            let (place, ids, _) = try scene()
            let answer = try place.sluice(["cancel", "#\(ids[0])"])
            #expect(answer.code == 1)
            #expect(try place.json(["show", "#\(ids[0])"])["state"] == "waiting")
        }
    }

    @Test("A2 D7 reclaim as the first verb says that the worker was dead, and is no refusal")
    func reclaim() async throws {
        try await Workplace.onOwnThread {
            let (place, ids, _) = try scene()
            let answer = try place.json(["reclaim", "#\(ids[0])"])
            #expect(answer["changed"] == [.integer(ids[0])] && answer["failed"] == [])
            #expect(answer["undo"] == .null)
            let sentence = "#\(ids[0]) waits again: its worker was dead"
            #expect(answer["consequences"] == [.string(sentence)])
            #expect(try place.json(["show", "#\(ids[0])"])["state"] == "waiting")
            // The log has one entry for the lost attempt, and none for a reclaim.
            let kinds = try place.json(["log"])["events"]?.array?.compactMap { $0["kind"]?.string }
            #expect(kinds?.filter { $0 == "lost" }.count == 1)
            #expect(kinds?.contains("reclaim") == false)
            let again = try place.expecting(0, place.sluice(["reclaim", "#\(ids[0])"]))
            #expect(again.output.contains(sentence), "\(again)")
            // The other one never ran.
            let refused = try place.expecting(1, place.sluice(["reclaim", "#\(ids[1])"]))
            #expect(refused.errors.contains("nothing of it runs"), "\(refused)")
            let both = try place.expecting(
                3, place.sluice(["reclaim"] + ids.map { "#\($0)" }))
            #expect(both.output.contains("not done: #\(ids[1])"), "\(both)")
        }
    }

    @Test("D7 P2 reclaim leaves the task of a worker that lives, and names cancel")
    func reclaimOfLiving() async throws {
        try await Workplace.onOwnThread {
            let (place, ids, worker) = try living()
            let refused = try place.expecting(1, place.sluice(["reclaim", "#\(ids[0])"]))
            #expect(refused.errors.contains("which is alive"), "\(refused)")
            #expect(refused.errors.contains("sluice cancel \(ids[0])"), "\(refused)")
            let all = try place.expecting(
                1, place.sluice(["reclaim", "--filter", "state:running", "--yes"]))
            #expect(all.errors.contains("which is alive"), "\(all)")
            #expect(try place.json(["show", "#\(ids[0])"])["state"] == "running")
            try worker.signal(.kill)
            _ = try worker.answer()
        }
    }

    @Test("A2 a task of a dead worker that is deleted is deleted at once")
    func delete() async throws {
        try await Workplace.onOwnThread {
            let (place, ids, _) = try scene()
            try place.json(["delete", "#\(ids[0])", "--cancel"])
            #expect(try place.json(["show", "#\(ids[0])"])["state"] == "deleted")
        }
    }

    @Test("A2 an app that drives by the library finds a dead worker too")
    func library() async throws {
        let (place, ids, _) = try await Workplace.onOwnThread { try scene() }
        let app = try QueueClient.open(place.store)
        let error = await #expect(throws: QueueError.self) {
            try await app.control.perform(.cancel([TaskTarget(ids[0])]))
        }
        #expect(error?.code == .notLegal)
        #expect(try await app.store.read { try $0.task(ids[0])?.waiting } != nil)
    }
}
