import SluiceControl
import SluiceModel
import SluiceStore
import SluiceSystem
import SluiceTestSupport
import Testing

extension ConsoleSoak {
    /// The cost of an idle console (K3).
    @Suite("idle", .serialized)
    struct IdleTests {
        @Test("K3 with nothing counting down neither the console nor a worker is woken")
        func idle() async throws {
            try await Workplace.onOwnThread {
                let place = try Workplace.withStore()
                try place.write(#"{"handlers":{"*":{"simulate":{}}}}"#, to: "handlers.json")
                try place.json(["queue", "set", "mail"])
                let neighbour = try Neighbour(at: place)
                try neighbour.perform(.pause(PauseRequest(.queue("mail"))))
                try neighbour.enqueue("mail", (0..<20).map { _ in EnqueueRequest(type: "job") })
                try neighbour.leave()
                let worker = try place.startWorker()
                let console = try LiveConsole.open(at: place, showing: "1 worker")
                // An application's commit wakes both once (T4).
                let row = "INSERT INTO sluice_inbox (queue, type) VALUES ('mail', 'late')"
                if Files.exists("/usr/bin/sqlite3") {
                    let shell = try place.start("sqlite3", [place.store, row])
                    try place.expecting(0, shell.answer())
                    try console.terminal.wait(forText: "21 tasks")
                }
                // A changed row is marked for one second, and the console repaints on the minute.
                try console.terminal.settle(quietMilliseconds: 1200)
                let seconds = Soak.count(3, soak: 30)
                let intoMinute = Int(SystemClock.nowMilliseconds() / 1000 % 60)
                if intoMinute + seconds > 58 { Workplace.rest(seconds: 61 - intoMinute) }
                try console.terminal.settle(quietMilliseconds: 200)
                let processes = [console.terminal.processID, worker.processID]
                let before = try processes.map { try ProcessUse(of: $0) }
                let bytes = console.terminal.received.count
                Workplace.rest(seconds: seconds)
                try console.terminal.update()
                let after = try processes.map { try ProcessUse(of: $0) }
                for (index, name) in ["console", "worker"].enumerated() {
                    let (first, last) = (before[index], after[index])
                    print(
                        "idle: \(name) in \(seconds) s: \(last.ticks - first.ticks) ticks, "
                            + "\(last.wakes - first.wakes) wakes, \(last.residentKiB) KiB")
                }
                #expect(after.map(\.ticks) == before.map(\.ticks))
                #expect(after.map(\.wakes) == before.map(\.wakes))
                #expect(console.terminal.received.count == bytes)
                try console.quit()
            }
        }
    }
}
