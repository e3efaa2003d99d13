import SluiceCSQLite
import SluiceSystem

/// The wait of a connection for another process's lock. It continues while the lock changes hands,
/// up to 10 s without a commit.
///
/// Only one waiting process retries in SQLite. The others wait for its place, and sleep longer with
/// time. Many waiting processes thus do not slow the holder of the lock.
final class BusyWait: @unchecked Sendable {
    static let timeoutNanoseconds: UInt64 = 10_000_000_000
    private static let shortSleeps: Int32 = 20
    private static let lookNanoseconds: UInt64 = 100_000_000
    private static let pause = WaitPause(shortestMicroseconds: 200, longestMicroseconds: 25_000)
    private var startedNanoseconds: UInt64 = 0
    /// When another process was last seen to have written, and what the log was then.
    private var progressNanoseconds: UInt64 = 0
    private var lookedNanoseconds: UInt64 = 0
    private var log: FileStatus?
    private var random = SystemRandom()
    private var isSeen = false
    private var hasTurn = false
    var isImpatient = false
    /// The folder that shows others that it waits.
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
        (isSeen, hasTurn, log) = (false, false, nil)
        folder?.endWait()
    }

    /// Sleeps until SQLite is worth another question; false where the wait is over.
    private func sleep(count: Int32) -> Bool {
        let now = SystemClock.monotonicNanoseconds()
        if count == 0 {
            (startedNanoseconds, progressNanoseconds, lookedNanoseconds) = (now, now, now)
            log = folder?.logStatus
        }
        guard !isImpatient, isWorthWaiting(at: now) else { return false }
        folder?.waitForTurn()
        isSeen = true
        while !hasTurn {
            hasTurn = folder?.acquireTurn() ?? true
            if hasTurn { break }
            let now = SystemClock.monotonicNanoseconds()
            guard isWorthWaiting(at: now) else { return false }
            Thread.pause(
                microseconds: Self.pause.microseconds(
                    waitedNanoseconds: now - startedNanoseconds, using: &random))
        }
        let range: ClosedRange<UInt32> = count < Self.shortSleeps ? 50...150 : 100...600
        Thread.pause(microseconds: UInt32.random(in: range, using: &random))
        return true
    }

    /// Whether any process wrote within the last 10 s.
    private func isWorthWaiting(at now: UInt64) -> Bool {
        if now - lookedNanoseconds >= Self.lookNanoseconds {
            lookedNanoseconds = now
            let status = folder?.logStatus
            if status != log { (log, progressNanoseconds) = (status, now) }
        }
        return now - progressNanoseconds < Self.timeoutNanoseconds
    }
}
