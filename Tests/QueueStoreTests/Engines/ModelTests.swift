import SluiceModel
import SluiceStore
import Testing

/// Numbers that look like chance and are the same for the same seed.
struct SeededRandom: RandomNumberGenerator, Sendable {
    private var state: UInt64

    init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 &+ 1 }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

/// One random change, the same for every engine that draws it from the same numbers.
private struct RandomChange {
    let writer: any StoreWriter
    var random: SeededRandom
    private let queues = ["q", "r", "é"]

    init(_ writer: any StoreWriter, _ random: SeededRandom) {
        self.writer = writer
        self.random = random
    }

    private mutating func number(_ range: Range<Int>) -> Int {
        Int.random(in: range, using: &random)
    }

    private mutating func queue() -> String { queues[number(0..<queues.count)] }

    /// Some tasks of a queue, or none.
    private mutating func some() throws -> [QueueTask] {
        let all = try writer.all(queue())
        let keep = number(1..<5)
        let start = number(0..<5)
        return all.enumerated().filter { ($0.offset + start) % 5 < keep }.map(\.element)
    }

    private mutating func vary(_ task: inout QueueTask) {
        Samples.fill(&task, number(0..<40))
        task.state = Samples.states[number(0..<Samples.states.count)]
        task.position = Int64(number(0..<1_000_000)) * 1000 + task.id
        if number(0..<3) == 0 { task.position = task.id }
    }

    mutating func apply() throws {
        switch number(0..<16) {
        case 0...3: try add()
        case 4...6: try update()
        case 7: try writer.remove(try some().prefix(4).map(\.id))
        case 8: try putQueue()
        case 9: try writer.clearRunMarks(queue: queue())
        case 10, 11: try writer.put(try attempts())
        case 12: try note()
        case 13: try attach()
        case 14: try bytes()
        default: try forget()
        }
    }

    private mutating func add() throws {
        let name = queue()
        if try writer.queue(named: name) == nil { try writer.makeQueue(name) }
        let count = number(1..<6)
        let first = try writer.reserveTaskIDs(count)
        var tasks: [NewTask] = []
        for id in first..<(first + TaskID(count)) {
            var task = QueueTask(id: id, queue: name, type: "t", position: id, createdAt: at(id))
            vary(&task)
            tasks.append(NewTask(task: task, payload: [UInt8](repeating: 7, count: count)))
        }
        try writer.insert(tasks)
    }

    private mutating func update() throws {
        var tasks = try some()
        for place in tasks.indices { vary(&tasks[place]) }
        try writer.update(tasks)
    }

    private mutating func putQueue() throws {
        let name = queue()
        var queue = try writer.queue(named: name) ?? QueueRecord(name: name, createdAt: at(0))
        queue.settings.order = QueueOrder.allCases[number(0..<4)]
        queue.settings.startsExpire = number(0..<2) == 0
        queue.version += 1
        try writer.put(queue)
    }

    private mutating func attempts() throws -> [AttemptRecord] {
        let tasks = try some()
        return tasks.map { task in
            var attempt = AttemptRecord(
                task: task, number: number(1..<4), runner: 1, startedAt: at(1))
            guard number(0..<3) > 0 else { return attempt }
            attempt.outcome = .retry
            attempt.endedAt = at(Int64(number(0..<40)))
            return attempt
        }
    }

    private mutating func note() throws {
        var events: [JournalEvent] = []
        for place in 0..<number(1..<4) {
            var undo = UndoRecord()
            undo.queueVersionAfter = Int64(place)
            events.append(
                JournalEvent(
                    at: at(Int64(number(0..<40))), kind: "verb", queue: queue(),
                    task: TaskID(number(1..<30)), by: ["ann", "bob"][number(0..<2)], text: "é",
                    undo: number(0..<2) == 0 ? undo : nil,
                    bulk: number(0..<2) == 0 ? Int64(number(1..<9)) : nil))
        }
        let first = try writer.append(events)
        if number(0..<2) == 0 { try writer.markUndone(first - Int64(number(0..<4)), by: first) }
    }

    private mutating func attach() throws {
        let id = ProcessID(number(1..<9))
        guard number(0..<3) > 0 else { return try writer.removeProcess(id) }
        try writer.put(
            ProcessRecord(
                id: id, role: .runner, host: "h", bootID: "b", pid: 1, lockName: "l",
                attachedAt: at(1)))
        try writer.put(
            Permit(
                id: try writer.reserveNumber(), task: 1, version: 1, queue: queue(), issuer: id,
                runner: ProcessID(number(1..<9))))
    }

    private mutating func bytes() throws {
        for task in try some() {
            try writer.setPayload([UInt8(number(0..<256))], of: task.id)
            try writer.setResult(number(0..<2) == 0 ? nil : [1, 2], of: task.id)
        }
    }

    private mutating func forget() throws {
        switch number(0..<4) {
        case 0: try writer.removeQueue(named: queue())
        case 1: try writer.removePermits([Int64(number(1..<20))])
        default:
            try writer.trimJournal(
                before: at(Int64(number(0..<40))), keeping: number(0..<20), limit: number(1..<9))
        }
    }
}

@Suite("Engines against the reference")
struct ModelTests {
    private struct Refused: Error {}
    /// A server needs a round trip for each query, so it gets fewer seeds.
    static let cases = Engine.all.flatMap { engine in
        (UInt64(1)...(engine.name == "postgres" ? 2 : 8)).map { (engine, $0) }
    }

    @Test(
        "N1 any sequence of changes leaves every engine with equal answers",
        arguments: cases)
    func equal(_ engine: Engine, _ seed: UInt64) throws {
        let reference = MemoryStore()
        let bench = try Bench(engine)
        var random = SeededRandom(seed: seed)
        for step in 0..<80 {
            let changes = Int.random(in: 1...3, using: &random)
            let fails = Int.random(in: 0..<6, using: &random) == 0
            let drawn = SeededRandom(seed: random.next())
            let body: @Sendable (any StoreWriter) throws -> Void = { writer in
                var change = RandomChange(writer, drawn)
                for _ in 0..<changes { try change.apply() }
                if fails { throw Refused() }
            }
            do { try reference.writeBlocking(body) } catch is Refused {}
            do { try bench.write(body) } catch is Refused {}
            let expected = try reference.readBlocking { try $0.inventory() }
            let found = try bench.read { try $0.inventory() }
            guard expected != found else { continue }
            let differs = zip(expected, found).first { $0 != $1 }
            Issue.record("seed \(seed), step \(step): \(String(describing: differs))")
            return
        }
    }
}
