import SluiceModel
import SluiceStore
import SluiceSystem

/// The heartbeats that show other machines that this machine's processes are alive, and the check
/// of theirs: a thread with a period of ten seconds (A2). It starts with the first write.
final class ServerHeartbeats: ProcessHeartbeats {
    /// After a beat that failed the next one comes sooner.
    private static let againMilliseconds: Int64 = 1000
    /// A heartbeat that waits for a lock longer than this is cancelled and tried again.
    private static let lockSeconds = 5

    private let settings: PostgresSettings
    private let schema: String
    private let clock: StoreClock?
    /// The identity of the store; a later store under the same name has other processes.
    private let identity: String?
    private let stop: EventSignal
    private let thread = Protected<Thread?>(nil)
    private let ledger = Protected(HeartbeatLedger())
    /// The processes that beat here, and since when each is known to have beaten.
    private let beaten = Protected<[ProcessID: Int64]>([:])

    init(
        _ settings: PostgresSettings, schema: String, clock: StoreClock? = nil,
        identity: String? = nil
    ) throws(QueueError) {
        self.clock = clock
        self.identity = identity
        self.settings = settings
        self.schema = schema
        do {
            stop = try EventSignal()
        } catch {
            throw QueueError(.denied, error.sentence)
        }
    }

    func missedHeartbeat(of process: ProcessID) -> Int64? {
        ledger.withLock { $0.missedHeartbeat(of: process) }
    }

    func hasBeaten(_ process: ProcessID) -> Bool {
        ledger.withLock { $0.hasBeaten(process) }
    }

    func attached(_ process: ProcessID, at instant: Int64) {
        beaten.withLock { $0[process] = instant }
    }

    func detached(_ process: ProcessID) { beaten.withLock { $0[process] = nil } }

    func heldUntil(_ process: ProcessID) -> Int64? {
        beaten.withLock { $0[process].map { $0 + HeartbeatLedger.leaseMilliseconds } }
    }

    /// Records observed heartbeats. Returns whether a process expired as a result.
    func record(_ heartbeats: [ProcessID: Int64], at instant: Int64) -> Bool {
        ledger.withLock { $0.record(heartbeats, at: instant) }
    }

    /// Begins, if it has not begun.
    func begin() {
        thread.withLock { thread in
            guard thread == nil else { return }
            // Without a thread there are no heartbeats, and running attempts end with the lease.
            thread = try? Thread(name: "sluice-beat", stackBytes: 1 << 19) { [self] in serve() }
        }
    }

    func end() {
        stop.signal()
        let last = thread.withLock { $0 }
        if let last, !last.isCurrent { last.join() }
    }

    private func serve() {
        let connection = ServerConnection(settings, schema: schema, clock: clock)
        var rest = HeartbeatLedger.beatMilliseconds
        while true {
            do {
                let ready = try Poll.wait(
                    fds: [PollInterest(stop.descriptor.number)], timeoutMilliseconds: Int(rest))
                if !ready.isEmpty { return }
                rest = Self.againMilliseconds
                try beat(connection)
                rest = HeartbeatLedger.beatMilliseconds
            } catch {
                // Others react to missing heartbeats themselves.
                connection.disconnect()
                if (error as? QueueError)?.code == .noStore { tellLoss(connection) }
            }
        }
    }

    /// Notifies all observers of this store: its tables are missing, and no commit reports that.
    private func tellLoss(_ connection: ServerConnection) {
        do {
            try connection.connect()
            try connection.execute("NOTIFY \(schema)")
        } catch {
            connection.disconnect()
        }
    }

    /// Beats for the processes that attached here, and notes the heartbeats of all.
    func beat(_ connection: ServerConnection) throws {
        // Take the time first: others see the heartbeat later.
        let begun = SystemClock.monotonicMilliseconds()
        try connection.connect()
        try connection.readClock()
        try connection.execute(
            "BEGIN", ServerCommands.local([("lock_timeout", "\(Self.lockSeconds)s")]))
        let ids = beaten.withLock { $0.keys.map(String.init) }.joined(separator: ",")
        let isSame = identity.map { "(SELECT identity = '\($0)' FROM \(schema).store)" } ?? "true"
        let mine = try connection.rows(
            once: """
                UPDATE \(schema).process SET beat = beat + 1 
                WHERE id = ANY ('{\(ids)}') AND \(isSame) RETURNING id
                """)
        let rows = try connection.rows(once: "SELECT id, beat FROM \(schema).process")
        let heartbeats = (0..<rows.count).map { (rows.integer($0, 0), rows.integer($0, 1)) }
        let fellSilent = record(
            Dictionary(heartbeats) { first, _ in first }, at: SystemClock.monotonicMilliseconds())
        // Wakes the processes that clean up after dead ones.
        let isGone = mine.count < beaten.withLock { $0.count }
        // A process without a row checks the reason: others treated it as dead, or the tables
        // belong to another store.
        if fellSilent || isGone { try connection.execute("NOTIFY \(schema)") }
        try connection.execute("COMMIT")
        beaten.withLock { beaten in
            for row in 0..<mine.count where beaten[mine.integer(row, 0)] != nil {
                beaten[mine.integer(row, 0)] = begun
            }
        }
    }
}
