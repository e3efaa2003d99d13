import SluiceSystem
import SluiceTestSupport
import Testing

extension ConsoleSoak {
    /// Several places on a terminal.
    @Suite("fleet", .serialized)
    struct FleetTests {
        @Test("a silent and a missing place delay no other, and one that comes is shown")
        func places() async throws {
            try await Workplace.onOwnThread {
                let place = try Workplace.withStore()
                _ = try place.enqueue("mail", payloads: ["1"])
                // It takes connections and never answers.
                let silent = try ListeningSocket(host: "127.0.0.1", port: 0)
                defer { withExtendedLifetime(silent) {} }
                let address = "redis://127.0.0.1:\(silent.port)/0"
                let other = place.file("later.db")
                let console = try LiveConsole(at: place, [other, address])
                let terminal = console.terminal
                try terminal.wait(forText: "no answer for", timeoutSeconds: 30)
                try terminal.wait(forText: "there is no store at", timeoutSeconds: 30)
                try terminal.wait(forText: "○    mail", timeoutSeconds: 30)
                // The row for all, the condition of the queue without a worker.
                try terminal.wait(forText: "∗  all", timeoutSeconds: 30)
                try terminal.wait(forText: "mail waits: no worker", timeoutSeconds: 30)
                try terminal.wait(forText: "away: ", timeoutSeconds: 30)
                try terminal.key(.char("j"))
                try terminal.key(.enter)
                try terminal.wait(forText: "0 goes back to all places", timeoutSeconds: 30)
                try terminal.wait(forText: "row 1 of 1", timeoutSeconds: 30)
                try terminal.key(.char("p"))
                try terminal.wait(forText: "paused by tester", timeoutSeconds: 30)
                try terminal.key(.char("0"))
                try terminal.wait(forText: "‖    mail", timeoutSeconds: 30)
                #expect(try console.shows("no answer for"))
                try place.expecting(
                    0, place.sluice(["enqueue", "push", "send", "{}", "--store", other]))
                try terminal.wait(forText: "○    push", timeoutSeconds: 60)
                try console.quit()
            }
        }

        @Test("on a wide screen the pane of queues has all places, and each is of now")
        func pane() async throws {
            try await Workplace.onOwnThread {
                let place = try Workplace.withStore()
                _ = try place.enqueue("mail", payloads: ["1"])
                let other = place.file("other.db")
                try place.expecting(0, place.sluice(["init", other]))
                func enqueue(_ queue: String, at store: String) throws {
                    try place.expecting(
                        0, place.sluice(["enqueue", queue, "send", "{}", "--store", store]))
                }
                try enqueue("push", at: other)
                let console = try LiveConsole(at: place, [other], columns: 120)
                let terminal = console.terminal
                // A place that has not answered yet is not entered.
                for queue in ["mail", "push"] {
                    try terminal.wait(forText: "○    \(queue)", timeoutSeconds: 30)
                }
                // Past the row for all and two conditions.
                for _ in 0..<3 { try terminal.key(.char("j")) }
                try terminal.key(.enter)
                try terminal.wait(forText: "0 goes back to all places", timeoutSeconds: 30)
                try terminal.wait(forText: "∗ all        2 places", timeoutSeconds: 30)
                try terminal.wait(forText: "push", timeoutSeconds: 30)
                try enqueue("later", at: other)
                try terminal.wait(forText: "later", timeoutSeconds: 30)
                for key in ["h", "G", "j"] { try terminal.key(.char(Character(key))) }
                try terminal.wait(forText: "all queues", timeoutSeconds: 30)
                try terminal.wait(forText: "of 2", timeoutSeconds: 30)
                try enqueue("third", at: place.store)
                try terminal.wait(forText: "third", timeoutSeconds: 30)
                try terminal.key(.char("k"))
                try terminal.wait(forText: "│ third", timeoutSeconds: 30)
                for key in ["g", "k"] { try terminal.key(.char(Character(key))) }
                try terminal.wait(forText: "2 places · 4 queues", timeoutSeconds: 30)
                try console.quit()
            }
        }
    }
}
