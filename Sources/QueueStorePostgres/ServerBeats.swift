import Platform
import PostgresClient
import QueueModel
import QueueStore
import QueueStoreTables

/// The beats by which processes of other machines see that those of this one live, and the look at
/// theirs: a thread that sleeps for ten seconds at a time (A2). It begins with the first write.
final class ServerBeats: ProcessBeats {
    private let settings: PostgresSettings
    private let schema: String
    private let runFolder: String
    private let stop: EventSignal
    private let thread = Protected<Thread?>(nil)
    private let ledger = Protected(BeatLedger())

    init(
        _ settings: PostgresSettings, schema: String, runFolder: String
    ) throws(QueueError) {
        self.settings = settings
        self.schema = schema
        self.runFolder = runFolder
        do {
            stop = try EventSignal()
        } catch {
            throw QueueError(.denied, error.sentence)
        }
    }

    func isSilent(_ process: ProcessID) -> Bool { ledger.withLock { $0.isSilent(process) } }

    /// Begins, if it has not begun.
    func begin() {
        thread.withLock { thread in
            guard thread == nil else { return }
            // Without a thread nobody beats, and the lock of this machine still says who lives.
            thread = try? Thread(name: "sluice-beat", stackBytes: 1 << 19) { [self] in serve() }
        }
    }

    /// Ends the thread.
    func end() {
        stop.signal()
        let last = thread.withLock { $0 }
        if let last, !last.isCurrent { last.join() }
    }

    private func serve() {
        let connection = ServerConnection(settings, schema: schema)
        while true {
            do {
                let ready = try Poll.wait(
                    fds: [PollInterest(stop.descriptor.number)],
                    timeoutMilliseconds: Int(BeatLedger.beatMilliseconds))
                if !ready.isEmpty { return }
                try beat(connection)
            } catch {
                // The next beat comes in its time; what others make of a missing one is theirs.
                connection.disconnect()
            }
        }
    }

    /// Beats for the processes whose lock this one holds, and notes the beats of all.
    func beat(_ connection: ServerConnection) throws {
        let identity = try HostIdentity.current()
        try connection.connect()
        try connection.execute("BEGIN")
        let mine = try ReadSession(connection, settingsCache: SettingsCache()).processes().filter {
            $0.bootID == identity.bootID && $0.pid == identity.pid
                && Files.exists("\(runFolder)/\($0.lockName)")
        }
        let ids = mine.map { String($0.id) }.joined(separator: ", ")
        if !mine.isEmpty {
            try connection.execute(
                "UPDATE \(schema).process SET beat = beat + 1 WHERE id IN (\(ids))")
        }
        let rows = try connection.rows(once: "SELECT id, beat FROM \(schema).process")
        let beats = (0..<rows.count).map { (rows.integer($0, 0), rows.integer($0, 1)) }
        let instant = SystemClock.monotonicMilliseconds()
        let fellSilent = ledger.withLock { ledger in
            ledger.note(Dictionary(beats) { first, _ in first }, at: instant)
        }
        // Whoever buries the dead is woken for it.
        if fellSilent { try connection.execute("NOTIFY \(schema)") }
        try connection.execute("COMMIT")
    }
}
