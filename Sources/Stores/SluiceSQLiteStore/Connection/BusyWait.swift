import SluiceCSQLite
import SluicePlatform

/// How a connection waits for the lock of another process: short random sleeps, 10 s at most.
final class BusyWait: @unchecked Sendable {
    static let timeoutNanoseconds: UInt64 = 10_000_000_000
    private static let shortSleeps: Int32 = 20
    private var startedNanoseconds: UInt64 = 0
    private var random = SystemRandom()
    private var isSeen = false
    /// Whether it gives up at once.
    var isImpatient = false
    /// Where others can see that it waits.
    var folder: RunFolder?

    /// Makes `database` wait this way; the object must live as long as the connection.
    func install(on database: OpaquePointer?) -> Int32 {
        sqlite3_busy_handler(
            database,
            { context, count in
                guard let context else { return 0 }
                let wait = Unmanaged<BusyWait>.fromOpaque(context).takeUnretainedValue()
                return wait.sleep(count: count) ? 1 : 0
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    /// It got the lock, or gave up.
    func end() {
        guard isSeen else { return }
        isSeen = false
        folder?.endWait()
    }

    private func sleep(count: Int32) -> Bool {
        let now = SystemClock.monotonicNanoseconds()
        if count == 0 { startedNanoseconds = now }
        guard !isImpatient, now - startedNanoseconds < Self.timeoutNanoseconds else {
            return false
        }
        let range: ClosedRange<UInt32> = count < Self.shortSleeps ? 50...150 : 100...600
        folder?.waitForTurn()
        isSeen = true
        Thread.pause(microseconds: UInt32.random(in: range, using: &random))
        return true
    }
}
