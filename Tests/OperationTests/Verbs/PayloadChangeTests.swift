import SluiceControl
import SluiceModel
import SluiceStore
import Testing

@Suite("versions of a payload")
struct PayloadChangeTests {
    @Test("D9 each payload that a task had is found, with who changed it", arguments: Engine.all)
    func changes(_ engine: Engine) throws {
        let bench = try Bench(engine)
        try bench.makeQueue()
        let ids = try bench.enqueue(2)
        func edit(_ text: String, _ person: String) throws {
            bench.pass(10)
            let payload = Array(text.utf8)
            try bench.perform(
                .edit([TaskTarget(ids[0])], payload: payload, fields: []), by: person)
        }
        func found(_ id: TaskID) throws -> [PayloadChange] {
            let now = bench.now
            return try bench.read { try Reading($0, now: now).payloadChanges(of: id) }
        }
        func text(_ bytes: [UInt8]?) -> String? {
            bytes.map { String(decoding: $0, as: UTF8.self) }
        }
        try edit("1", "ann")
        let claimed = try bench.claim(try bench.attach())[0]
        let ended = try bench.settle(claimed, .fail).attempt
        let sequence = try #require(
            try bench.read { try $0.attempts(of: ids[0]).last?.endSequence })
        try edit("2", "bob")
        try bench.perform(.priority([TaskTarget(ids[0])], 4))
        try bench.perform(.undo(event: nil))
        try edit("3", "ann")
        bench.pass(10)
        try bench.perform(.undo(event: nil))
        let changes = try found(ids[0])
        #expect(ended != nil)
        #expect(changes.map { text($0.before) } == ["{}", "1", "2"])
        #expect(changes.map(\.by) == ["ann", "bob", "ann"])
        #expect(changes.map(\.at) == [at(10), at(20), at(30)])
        #expect(changes.map(\.undoneAt) == [nil, nil, at(40)])
        let current = Array("2".utf8)
        #expect(text(changes.payload(at: sequence, current: current)) == "1")
        #expect(text(changes.payload(at: 0, current: current)) == "2")
        #expect(
            (0..<3).map { text(changes.payload(after: $0, current: current)) } == ["1", "2", nil])
        #expect(try found(ids[1]) == [])
    }
}
