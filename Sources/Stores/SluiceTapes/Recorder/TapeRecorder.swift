package import SluiceModel
package import SluiceStore
package import SluiceSystem

/// Records a store to a file (G6): its contents, then each commit, until the caller or the store
/// ends the recording.
package final class TapeRecorder {
    package struct Request: Hashable, Sendable {
        /// The file, which must not be there yet.
        package var path: String
        /// Only these queues; nil for all.
        package var queues: [String]?
        /// The payload paths with values to omit.
        package var redactions: [PayloadPath] = []
        /// The same as a person spelled them.
        package var redactedNames: [String] = []
        /// Whether to end attached programs that are too old.
        package var endsOlder = false

        package init(path: String) { self.path = path }
    }
    package struct Report: Hashable, Sendable {
        package var events: Int
        /// The reason for an unwanted end; `nil` for a requested one.
        package var loss: String?
        /// How often each redaction applied.
        package var redactions: [Int]
    }

    private let store: any QueueStore
    private let request: Request
    private let person: String
    private let now: @Sendable () -> Timestamp
    private let attachment: Attachment
    private let writer: TapeWriter
    private var sieve: TapeSieve
    private var last: Timestamp
    private static let rows = 2000
    /// Commits of this time are moved together, so that a busy store is not written for each.
    private static let restMilliseconds = 100

    /// Starts recording: the store keeps each commit from now on. Throws `notLegal` if another
    /// recording runs or an attached program is too old, and throws errors of the file.
    package init(
        _ store: any QueueStore, _ request: Request, person: String,
        now: @escaping @Sendable () -> Timestamp, chance: Double = 0.5
    ) throws {
        (self.store, self.request, self.person, self.now) = (store, request, person, now)
        sieve = TapeSieve(queues: request.queues, redactions: request.redactions)
        if let queues = request.queues {
            try store.readBlocking { reader in
                for queue in queues { _ = try reader.requireQueue(queue) }
            }
        }
        let began = now()
        last = began
        // A recorder that died is no hindrance.
        if try store.readBlocking({ try $0.storeRecord().recording }) != nil {
            try Reaper.reapTheDead(in: store, now: began, chance: chance)
        }
        writer = try TapeWriter(request.path)
        do {
            attachment = try Attachment(to: store, role: .command, now: began)
        } catch {
            try? Files.remove(request.path)
            throw error
        }
        do {
            try begin(at: began)
        } catch {
            try? attachment.detach(now: began)
            try? Files.remove(request.path)
            throw error
        }
    }

    private func begin(at began: Timestamp) throws {
        let (id, person, endsOlder) = (attachment.process.id, person, request.endsOlder)
        try store.transactBlocking(at: began) { mutation in
            try DebuggerPart.recording.refuseOlder(
                among: mutation.store.processes(), isAgreed: endsOlder)
            try mutation.beginRecording(by: person, recorder: id)
            let text = "recording begun by \(person)"
            try mutation.store.append([Recording.event(text, by: person, at: began)])
        }
    }

    /// Records until the `stop` signal or the `deadline`.
    package func run(stop: EventSignal, until deadline: Timestamp?) throws -> Report {
        do {
            let wake = try EventSignal()
            let observation = try store.observe { wake.signal() }
            defer { withExtendedLifetime(observation) {} }
            var loss: String?
            try writeBeginning()
            while loss == nil {
                loss = try move()
                if loss != nil { break }
                let left = deadline.map { max(0, $0 - now()) }
                if left == 0 { break }
                let waits = [stop.descriptor.number, wake.descriptor.number].map {
                    PollInterest($0)
                }
                let ready = try Poll.wait(
                    fds: waits, timeoutMilliseconds: Int(min(left ?? 1000, 1000)))
                if ready.contains(where: { $0.descriptor == stop.descriptor.number }) { break }
                wake.drain()
                let rest = min(Int64(Self.restMilliseconds), left ?? .max)
                let ended = try Poll.wait(
                    fds: [PollInterest(stop.descriptor.number)], timeoutMilliseconds: Int(rest))
                if !ended.isEmpty { break }
            }
            return try end(loss)
        } catch {
            leave()
            throw error
        }
    }

    /// Ends the recording in the store, even after an error of the file.
    private func leave() {
        let (id, at) = (attachment.process.id, now())
        // Ignore errors: the end of this process ends the recording too.
        try? store.transactBlocking(at: at) { mutation in
            _ = try mutation.endRecording(of: id, because: "it could not go on")
        }
        try? attachment.detach(now: at)
    }

    /// How many events are on the tape so far.
    package var events: Int { writer.count }

    /// Writes the initial contents; the first step.
    package func writeBeginning() throws {
        let (store, queues) = (store, request.queues.map { Set($0) })
        let isRedacted = !request.redactions.isEmpty
        let identity = try store.readBlocking { try $0.storeRecord().identity }
        var header = TapeHeader(store: store.name, identity: identity, since: last, by: person)
        (header.queues, header.redacted) = (request.queues, request.redactedNames)
        try writer.write(header)
        let parts = Protected<[[TapeChange]]>([])
        let spare = SpareMover(store)
        // Read at one moment: the contents include every commit recorded before it.
        let moved = try store.readBlocking { reader -> Int64 in
            let moved = try reader.recorded(limit: .max).last?.number ?? 0
            try spare.start()
            let beginning = TapeBeginning(
                reader: reader, queues: queues, isRedacted: isRedacted)
            try beginning.read { part in
                parts.withLock { $0.append(part) }
            }
            return moved
        }
        let came = try spare.end().filter { $0.number > moved }
        for part in parts.withLock({ $0 }) { try writer.writeBeginning(sieve.sifted(part)) }
        try writer.flush()
        if moved > 0 { try store.writeBlocking { try $0.forgetRecorded(through: moved) } }
        try write(came)
    }

    /// Moves recorded commits to the file. Returns the reason if the recording has ended.
    package func move() throws -> String? {
        let id = attachment.process.id
        while true {
            let (isStanding, commits) = try store.readBlocking { reader in
                (
                    try reader.storeRecord().recording?.recorder == id,
                    try reader.recorded(limit: Self.rows)
                )
            }
            guard isStanding else {
                return "the \(Recording.givenUpWords)"
            }
            guard let end = commits.last?.number else { return nil }
            try write(commits)
            try store.writeBlocking { try $0.forgetRecorded(through: end) }
            if commits.count < Self.rows { return nil }
        }
    }

    private func write(_ commits: [RecordedCommit]) throws {
        for entry in commits {
            let commit = sieve.sifted(entry.commit)
            last = entry.commit.at ?? last
            if !commit.isEmpty { try writer.write(commit, at: last) }
        }
        try writer.flush()
    }

    /// Ends the recording and writes the remaining commits; the last step.
    package func end(_ loss: String?) throws -> Report {
        let (id, at, person) = (attachment.process.id, now(), person)
        let rest = try store.transactBlocking(at: at) { mutation -> [RecordedCommit] in
            let rest = try mutation.store.recorded(limit: .max)
            return try mutation.endRecording(of: id, by: person) ? rest : []
        }
        try write(rest)
        try writer.write(TapeEnding(reason: loss ?? TapeEnding.stopped, at: at))
        try attachment.detach(now: at)
        return Report(events: writer.count, loss: loss, redactions: sieve.counts)
    }
}
