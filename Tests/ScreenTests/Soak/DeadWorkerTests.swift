import SluiceModel
import SluiceSystem
import SluiceTestSupport
import Testing

extension ConsoleSoak {
    /// A console that is open while the only worker dies (A2).
    @Suite("dead worker")
    struct DeadWorkerTests {
        @Test("A2 a console sees the death of the only worker at once, and clears up behind it")
        func cleared() async throws {
            try await Workplace.onOwnThread {
                let (place, worker, id) = try scene()
                let console = try LiveConsole.open(at: place, showing: "1 worker")
                try worker.signal(.kill)
                try console.terminal.wait("no worker", timeoutSeconds: 30) {
                    $0.position(of: "1 worker") == nil
                }
                try place.wait(for: "the task") {
                    try place.json(["show", "#\(id)"])["state"] == "waiting"
                }
                try console.quit()
            }
        }

        @Test("A2 D11 a console that may not write says so too, and changes nothing")
        func readOnly() async throws {
            try await Workplace.onOwnThread {
                let (place, worker, id) = try scene()
                let console = try LiveConsole.open(
                    at: place, ["--read-only"], showing: "1 worker")
                try worker.signal(.kill)
                try console.terminal.wait("no worker", timeoutSeconds: 30) {
                    $0.position(of: "1 worker") == nil
                }
                let task = try place.json(["show", "#\(id)", "--read-only"])
                #expect(task["state"] == "running" && task["display"] == "stuck")
                try console.quit()
            }
        }

        private func scene() throws -> (Workplace, RunningProgram, Int64) {
            let place = try Workplace.withStore()
            try place.write(
                #"{"handlers":{"*":{"simulate":{"duration":"1h"}}}}"#, to: "handlers.json")
            let ids = try place.enqueue("mail", count: 1)
            let worker = try place.startWorker()
            try place.wait(for: "the task") { try place.count("mail", "running") == 1 }
            return (place, worker, ids[0])
        }
    }
}
