/// Handles INT and TERM while a program works, on its own thread.
package final class SignalWatch: Sendable {
    private let stops = Protected(0)
    private let quit: EventSignal

    /// Calls `handle` with the number of signals so far, until `end` or until it returns false.
    /// Signals then have their former effect.
    package init(_ handle: @escaping @Sendable (_ count: Int) -> Bool) throws {
        let inbox = try SignalInbox([.interrupt, .terminate])
        let quit = try EventSignal()
        self.quit = quit
        let stops = stops
        _ = try Thread(name: "sluice-signals") {
            let waits = [
                PollInterest(inbox.descriptor.number), PollInterest(quit.descriptor.number),
            ]
            while !quit.drain() {
                // Treat a failed wait like an interrupted one: read the inbox again.
                _ = try? Poll.wait(fds: waits, timeoutMilliseconds: nil)
                for _ in (try? inbox.drain()) ?? [] {
                    let count = stops.withLock { count -> Int in
                        count += 1
                        return count
                    }
                    guard handle(count) else { return }
                }
            }
        }
    }

    package var hasStopped: Bool { stops.withLock { $0 > 0 } }

    /// Ends the thread; signals have their former effect again.
    package func end() { quit.signal() }
}
