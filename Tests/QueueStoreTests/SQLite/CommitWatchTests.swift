import SluiceModel
import SluiceStore
import SluiceSystem
import Testing

@testable import SluiceSQL

@Suite("The watch on commits")
struct CommitWatchTests {
    @Test("A2 whoever is told that it is watched again sees that it is, for nothing else wakes it")
    func told() throws {
        let place = try Place()
        try place.open().close()
        let isGiven = Protected(false)
        let instance = WatchInstance(lookMilliseconds: 5) { isGiven.withLock { $0 } }
        let (watch, seen) = (Protected<CommitWatch?>(nil), Protected<[Bool]>([]))
        let signal = try EventSignal()
        let observation = try CommitWatch(
            store: place.path, probe: nil, throttle: nil, sharing: instance
        ) {
            // A notice before the watch is stored is checked the next time.
            if let isNotified = watch.withLock({ $0?.isNotified }) {
                seen.withLock { $0.append(isNotified) }
            }
            signal.signal()
        }
        watch.withLock { $0 = observation }
        #expect(!observation.isNotified)
        isGiven.withLock { $0 = true }
        while seen.withLock({ $0.last }) != true {
            let ready = try Poll.wait(
                fds: [PollInterest(signal.descriptor.number)], timeoutMilliseconds: 10_000)
            try #require(!ready.isEmpty, "nothing more is told: \(seen.withLock { $0 })")
            signal.drain()
        }
        #expect(observation.isNotified)
        watch.withLock { $0 = nil }
    }

    @Test("commits do not wake a muted observer, which gets one notice when it listens")
    func muted() throws {
        let place = try Place()
        let store = try place.open()
        defer { store.close() }
        let (count, signal) = (Protected(0), try EventSignal())
        let observation = try store.observe {
            count.withLock { $0 += 1 }
            signal.signal()
        }
        func awaitNotice() throws {
            let ready = try Poll.wait(
                fds: [PollInterest(signal.descriptor.number)], timeoutMilliseconds: 10_000)
            try #require(!ready.isEmpty)
            signal.drain()
        }
        #expect(observation.mute())
        for number in 0..<200 { try commit(number, to: store) }
        observation.listen()
        try awaitNotice()
        #expect((1...3).contains(count.withLock { $0 }))

        try commit(200, to: store)
        try awaitNotice()
        withExtendedLifetime(observation) {}
    }

    private func commit(_ number: Int, to store: SQLiteStore) throws {
        try store.writeBlocking { writer in
            try writer.put(QueueRecord(name: "q\(number)", createdAt: Timestamp(milliseconds: 0)))
        }
    }
}
