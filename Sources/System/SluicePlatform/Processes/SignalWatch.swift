/// Hears INT and TERM while a program works, on a thread of its own.
package final class SignalWatch: Sendable {
    private let stops = Protected(0)
    private let quit: EventSignal

    /// Tells `handle` how many signals came so far, until `end` or until it answers that it heard
    /// enough; signals have their former effect then.
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
                // A wait that fails ends like one that was interrupted: by looking again.
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

    /// Whether a signal came.
    package var hasStopped: Bool { stops.withLock { $0 > 0 } }

    /// Ends the thread; signals have their former effect again.
    package func end() { quit.signal() }
}
