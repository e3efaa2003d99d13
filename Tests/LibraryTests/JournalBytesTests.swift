import Sluice
import SluiceModel
import SluiceSystem
import Testing

/// The size limit of undo data.
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
        #expect(try app.store.readBlocking { try $0.storeRecord().journalBytes } == 256 << 20)
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
        // The undo data of new tasks is a first number and a count, which takes no space.
        #expect(kept.first == made.undo && lost + kept.dropFirst() == events)
        #expect((2...6).contains(lost.count), "\(lost.count)")
        // The shell lines of such large verbs go too.
        for entry in lines {
            guard case .event(let event) = entry, lost.contains(event.sequence) else { continue }
            #expect(event.script?.hasPrefix("# its tasks are not kept") == true)
        }
        let refused = #expect(throws: QueueError.self) {
            try app.control.performBlocking(.undo(event: events[0]))
        }
        #expect(refused?.code == .notLegal)
        #expect(refused?.message.contains("is too long ago to be undone") == true)
        #expect(refused?.fix.contains("sluice init --journal") == true)
        #expect(try app.control.performBlocking(.undo(event: nil)).changed.count == 500)
    }

    @Test("D9 D10 undo of a bulk takes back all that the bulk promised, and so does redo")
    func promise() async throws {
        let folder = try Files.makeTemporaryDirectory(prefix: "sluice-journal")
        defer { try? Files.removeTree(folder) }
        let app = try QueueClient.open("\(folder)/a.db")
        defer { app.store.close() }
        let note = #"{"note":"a task like any other"}"#
        let tasks = Array(
            repeating: EnqueueRequest(type: "send", payload: Array(note.utf8)), count: 5000)
        try await app.control.perform(.enqueue(queue: "q", tasks))
        try app.store.writeBlocking { try $0.setJournalBytes(500_000) }
        let targets = (1...5000).map { TaskTarget($0) }
        let answer = try await app.control.perform(.delete(targets))
        let sentence = try #require(answer.consequences.first)
        let undone = try await app.control.perform(.undo(event: answer.undo))
        #expect((1000..<5000).contains(undone.changed.count))
        let count = NumberText.grouped(undone.changed.count)
        #expect(sentence.hasPrefix("only the newest \(count) of them can be undone"))
        #expect(undone.stop?.error?.code == .notLegal && undone.consequences == [])
        #expect(try await app.control.perform(.redo).changed.count == undone.changed.count)
    }

    @Test("D9 D10 a bulk says how many of its tasks can be undone, where that is not all")
    func bulk() async throws {
        let folder = try Files.makeTemporaryDirectory(prefix: "sluice-journal")
        defer { try? Files.removeTree(folder) }
        let app = try QueueClient.open("\(folder)/a.db")
        defer { app.store.close() }
        let tasks = Array(repeating: EnqueueRequest(type: "t"), count: 5000)
        try await app.control.perform(.enqueue(queue: "q", tasks))
        let targets = (1...5000).map { TaskTarget($0) }
        let whole = try await app.control.perform(.skip(targets, forMilliseconds: nil))
        #expect(whole.undo != nil && whole.consequences == [])
        try app.store.writeBlocking { try $0.setJournalBytes(500_000) }
        for isAsync in [true, false] {
            let verb = isAsync ? Verb.unskip(targets) : .skip(targets, forMilliseconds: nil)
            let answer =
                isAsync
                ? try await app.control.perform(verb) : try app.control.performBlocking(verb)
            #expect(answer.changed.count == 5000)
            let sentence = try #require(answer.consequences.first)
            let undone = try await app.control.perform(.undo(event: answer.undo))
            #expect((1000..<5000).contains(undone.changed.count))
            let count = NumberText.grouped(undone.changed.count)
            #expect(sentence.hasPrefix("only the newest \(count) of them can be undone"))
            #expect(answer.consequences.count == 1)
            try await app.control.perform(.unskip(targets))
        }
    }
}
