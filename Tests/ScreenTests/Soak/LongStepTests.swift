import SluiceSystem
import SluiceTestSupport
import Testing

extension ConsoleSoak {
    /// Keys typed during a step.
    @Suite("long step")
    struct LongStepTests {
        @Test("K3 a cancel that is typed does not wait for the step that it is meant for")
        func cancelled() async throws {
            try await Workplace.onOwnThread {
                let place = try Workplace.withStore()
                try place.write(
                    #"{"handlers":{"*":{"simulate":{"duration":"1h"}}}}"#, to: "handlers.json")
                let task = try place.enqueue("mail", count: 1)[0]
                try place.json(["pause", "mail"])
                _ = try place.startWorker()
                let console = try LiveConsole.open(at: place, showing: "1 worker")
                try console.terminal.send("s")
                try place.wait(for: "the step") { try place.count("mail", "running") == 1 }
                try console.terminal.send(":cancel \(task)\r")
                try place.wait(for: "the end") { try place.count("mail", "running") == 0 }
                try console.quit()
            }
        }
    }
}
