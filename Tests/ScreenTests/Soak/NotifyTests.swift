import SluiceTestSupport
import Testing

extension ConsoleSoak {
    /// `--notify` on a terminal.
    @Suite("notices", .serialized)
    struct NotifyTests {
        @Test("a queue without a worker rings the bell and sends its words to the desktop")
        func rings() async throws {
            try await Workplace.onOwnThread {
                let place = try Workplace.withStore()
                let console = try LiveConsole(at: place, ["--notify"])
                try console.terminal.wait(forText: "1 inventory", timeoutSeconds: 30)
                // The first answer is no news.
                try console.terminal.settle(quietMilliseconds: 300)
                #expect(console.terminal.bellCount == 0)
                _ = try place.enqueue("mail", payloads: ["1"])
                try console.terminal.wait("the bell", timeoutSeconds: 30) { _ in
                    console.terminal.bellCount == 1
                }
                try console.terminal.wait(forText: "mail waits: no worker")
                let bytes = String(decoding: console.terminal.received.tail, as: UTF8.self)
                #expect(bytes.contains("\u{1b}]9;sluice: \(place.store): mail waits: no worker"))
                try console.quit()
            }
        }
    }
}
