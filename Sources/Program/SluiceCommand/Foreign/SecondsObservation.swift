import SluiceStore
import SluiceSystem

/// Notifies every second, since no foreign system reports all its changes.
final class SecondsObservation: StoreObservation {
    let isNotified = true
    private let isOver: EventSignal

    init(_ notify: @escaping @Sendable () -> Void) throws {
        let isOver = try EventSignal()
        self.isOver = isOver
        _ = try Thread(name: "sluice-looks") {
            // The first look leaves out what takes long.
            var pause = 100
            while let ready = try? Poll.wait(
                fds: [PollInterest(isOver.descriptor.number)], timeoutMilliseconds: pause),
                ready.isEmpty
            {
                notify()
                pause = 1000
            }
        }
    }

    deinit { isOver.signal() }
}
