import SluiceModel
import SluiceStore
import Testing

@testable import SluiceSQL

@Suite("Values and their rows")
struct RoundTripTests {
    @Test(
        "T1 a task of any shape is found as it was put, by insert and by update",
        arguments: 0..<8)
    func tasks(seed: Int) throws {
        let place = try Place()
        let store = try place.openWithQueue()
        let (ids, first, second) = try store.writeBlocking { writer in
            var generator = Generator(seed: seed)
            let start = try writer.reserveTaskIDs(60)
            let ids = Array(start..<start + 60)
            let first = ids.map { generator.task($0) }
            try writer.insert(first.map { NewTask(task: $0, payload: []) })
            let second = ids.map { generator.task($0) }
            return (ids, first, second)
        }
        #expect(try store.readBlocking { try $0.tasks(ids) } == first)
        try store.writeBlocking { try $0.update(second) }
        #expect(try store.readBlocking { try $0.tasks(ids) } == second)
        store.close()
    }

    @Test("D9 what stands as JSON is read as it was written", arguments: 0..<24)
    func stored(seed: Int) throws {
        var generator = Generator(seed: seed)
        let (task, queue) = (generator.task(7), generator.queue())
        let (undo, process) = (generator.undo(), generator.process())
        func again(_ value: JSONValue) throws -> JSONValue {
            try StoredFields.parse(value.text)
        }
        #expect(try QueueTask(stored: again(task.stored)) == task)
        #expect(try QueueRecord(stored: again(queue.stored)) == queue)
        #expect(try UndoRecord(stored: again(undo.stored)) == undo)
        #expect(try ProcessRecord(stored: again(process.stored)) == process)
    }

    @Test(
        "A7 executions, queues and lines of any shape are found as they were put",
        arguments: 0..<8)
    func records(seed: Int) throws {
        let place = try Place()
        let store = try place.open()
        var generator = Generator(seed: seed)
        let queue = generator.queue()
        let task = generator.task(5)
        let put = (1...9).map { generator.attempt(task, $0) }
        let process = generator.process()
        var event = JournalEvent(
            at: at(1), kind: generator.text(), queue: generator.maybe { $0.text() }, task: 5,
            by: generator.text(), text: generator.text(), undo: generator.undo())
        event.undoneBy = generator.maybe { $0.number() }
        event.bulk = generator.maybe { $0.number() }
        let line = event
        let sequence = try store.writeBlocking { writer in
            try writer.put(queue)
            try writer.put(put)
            try writer.put(process)
            return try writer.append([line])
        }
        event.sequence = sequence
        let found = try store.readBlocking { reader in
            (
                try reader.queues(), try reader.attempts(of: 5), try reader.event(sequence),
                try reader.processes()
            )
        }
        #expect(found.0 == [queue])
        #expect(found.2 == event)
        #expect(found.3 == [process])
        let unnumbered = found.1.map { attempt in
            var attempt = attempt
            attempt.endSequence = 0
            return attempt
        }
        #expect(unnumbered == put)
        store.close()
    }

    @Test(
        "T6 payloads of any size are kept beside or in the row",
        arguments: [0, 1, 512, 513, 1 << 20])
    func payloads(size: Int) throws {
        let place = try Place()
        let store = try place.openWithQueue()
        let payload = (0..<size).map { UInt8(truncatingIfNeeded: $0) }
        let id = try store.writeBlocking { try $0.insertTasks(payload: payload)[0] }
        #expect(try store.readBlocking { try $0.payload(of: id) } == payload)
        for other in [[], payload + payload, [7]] {
            try store.writeBlocking { try $0.setPayload(other, of: id) }
            #expect(try store.readBlocking { try $0.payload(of: id) } == other)
        }
        try store.writeBlocking { writer in
            try writer.setResult(payload, of: id)
        }
        #expect(try store.readBlocking { try $0.result(of: id) } == payload)
        try store.writeBlocking { try $0.remove([id]) }
        #expect(try place.dump().filter { $0.hasPrefix("sluice_payload") }.isEmpty)
        store.close()
    }
}
