import Sluice
import SluicePlatform
import Testing

/// What `undo` needs is bounded by its bytes.
@Suite("The journal's bytes")
struct JournalBytesTests {
    @Test("D9 of what undo needs the newest bytes stay, and undo says what went")
    func bound() throws {
        let folder = try Files.makeTemporaryDirectory(prefix: "sluice-journal")
        defer { try? Files.removeTree(folder) }
        let app = try QueueClient.open("\(folder)/a.db")
        defer { app.store.close() }
        let tasks = Array(repeating: EnqueueRequest(type: "t"), count: 500)
        let made = try app.control.performBlocking(.enqueue(queue: "q", tasks))
        #expect(try app.store.readBlocking { try $0.journalBytes() } == 256 << 20)
        try app.store.writeBlocking { try $0.setJournalBytes(500_000) }
        let targets = (1...500).map { TaskTarget($0) }
        var events: [Int64] = []
        for _ in 0..<4 {
            for verb in [Verb.skip(targets, forMilliseconds: nil), .unskip(targets)] {
                events.append(try #require(try app.control.performBlocking(verb).undo))
            }
        }
        let lines = try app.store.readBlocking { try $0.journal(JournalQuery(limit: 100)) }
        let kept = lines.compactMap { entry -> Int64? in
            guard case .event(let event) = entry, event.undo != nil else { return nil }
            return event.sequence
        }
        let lost = lines.compactMap { entry -> Int64? in
            guard case .event(let event) = entry, event.hasLostImages else { return nil }
            return event.sequence
        }
        // What was made stands by its first number and a count, and takes no room.
        #expect(kept.first == made.undo && lost + kept.dropFirst() == events)
        #expect((2...6).contains(lost.count), "\(lost.count)")
        let refused = #expect(throws: QueueError.self) {
            try app.control.performBlocking(.undo(event: events[0]))
        }
        #expect(refused?.code == .notLegal)
        #expect(refused?.message.contains("is too long ago to be undone") == true)
        #expect(refused?.fix.contains("sluice init --journal") == true)
        #expect(try app.control.performBlocking(.undo(event: nil)).changed.count == 500)
    }
}
