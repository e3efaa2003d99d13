import Platform
import QueueRunner

/// Hears INT and TERM while a runner works: the first asks it to stop, the second tells what runs
/// to stop at once (A6); with patience 0 the first already does.
final class SignalWatch: Sendable {
    private let stops = Protected(0)
    private let quit: EventSignal

    /// Listens until `end`, on a thread of its own.
    init(stopping runner: Runner, patience: Int = 1) throws {
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
                    runner.stop(isUrgent: count > patience)
                }
            }
        }
    }

    /// Whether a signal came.
    var hasStopped: Bool { stops.withLock { $0 > 0 } }

    /// Ends the thread; signals have their former effect again.
    func end() { quit.signal() }
}
