import SluiceControl
import SluiceModel
import SluiceSQL
import SluiceStore
import SluiceSystem

/// A folder for stores that are measured, and what every measurement does with them.
final class Workbench {
    let folder: String
    /// The number of repetitions of each measurement.
    let repetitions: Int
    /// By how much each amount of work is made smaller, for a quick look.
    let divisor: Int
    let options: BenchOptions
    private var number = 0

    init(_ options: BenchOptions) throws {
        folder = try Files.makeTemporaryDirectory(prefix: "sluice-bench-")
        (repetitions, divisor) = (options.repetitions, options.divisor)
        self.options = options
    }

    /// The program `sluice`, and the one in C.
    func programs() throws -> (sluice: String, raw: String) {
        let beside = Files.parent(of: try ProcessIdentity.executablePath())
        let sluice = options.program ?? "\(beside)/sluice"
        let raw = options.rawPrograms ?? "\(beside)/raw-programs"
        for path in [sluice, raw] where !Files.exists(path) {
            throw Untrue(description: "there is no program at \(path): make bench builds it")
        }
        return (sluice, raw)
    }

    deinit { try? Files.removeTree(folder) }

    func amount(_ full: Int) -> Int { max(1, full / divisor) }

    /// The path of a file that is not there yet.
    func newPath() -> String {
        number += 1
        return "\(folder)/\(number).db"
    }

    /// A store with one queue `q`, which keeps nothing that is finished unless told to: the raw
    /// loops do not either.
    func newStore(_ settings: [SettingChange] = []) throws -> (store: SQLiteStore, path: String) {
        let path = newPath()
        let store = try SQLiteStore.open(path: path, createIfMissing: true, durability: .full)
        try Self.control(store).performBlocking(.setQueue("q", [.keepFinished(.none)] + settings))
        return (store, path)
    }

    /// Opens a store again and counts its tasks, because reported work must be durable.
    static func counts(at path: String, queue: String = "q") throws -> [TaskState.Name: Int] {
        let store = try SQLiteStore.open(path: path, readOnly: true)
        defer { store.close() }
        return try store.readBlocking { try $0.counts(queue: queue).states }
    }

    static func control(_ store: any QueueStore) -> Control {
        Control(store: store, person: "bench", now: Self.now, chance: { 0.5 })
    }

    static func now() -> Timestamp { Timestamp(milliseconds: SystemClock.nowMilliseconds()) }

    static func request() -> EnqueueRequest {
        EnqueueRequest(type: "t", payload: RawLoop.payload)
    }

    /// Enqueues as the library does: one commit for each call.
    static func enqueue(_ requests: [EnqueueRequest], to queue: String, _ store: any QueueStore)
        throws
    {
        let now = now()
        try store.transactBlocking(at: now) { mutation in
            _ = try mutation.enqueue(requests, to: queue)
        }
    }

    /// Seconds that a body takes.
    static func seconds(_ body: () throws -> Void) rethrows -> Double {
        let start = SystemClock.monotonicNanoseconds()
        try body()
        return Double(SystemClock.monotonicNanoseconds() - start) / 1e9
    }

    /// A file of the raw loop; on Sluice's own tables one that Sluice made.
    func raw(_ tables: RawLoop.Tables) throws -> RawLoop {
        guard tables.name == RawLoop.Tables.own.name else {
            return try RawLoop(path: newPath(), tables: tables)
        }
        let (store, path) = try newStore()
        store.close()
        return try RawLoop(path: path, tables: tables)
    }

    /// Rows a second of the raw loop, `each` in one commit.
    func inserted(_ tables: RawLoop.Tables, count: Int, each: Int) throws -> Double {
        let loop = try raw(tables)
        defer { loop.close() }
        return try loop.insert(first: 1, count: count, each: each)
    }

    /// A result that contradicts its report.
    struct Untrue: Error, CustomStringConvertible {
        var description: String
    }

    /// How many tasks wait in all queues of a store.
    static func waiting(at path: String) throws -> Int {
        let store = try SQLiteStore.open(path: path, readOnly: true)
        defer { store.close() }
        return try store.readBlocking { reader in
            try reader.queues().reduce(0) { try $0 + reader.counts(queue: $1.name)[.waiting] }
        }
    }

    static func prove(_ path: String, waiting: Int) throws {
        let there = try counts(at: path)
        guard there[.waiting] ?? 0 == waiting, there[.running] ?? 0 == 0 else {
            throw Untrue(description: "\(path) holds \(there), but \(waiting) should wait")
        }
    }
}

extension Workbench {
    /// How the waiting tasks of a large store lie.
    enum Shape: CaseIterable {
        case oneQueue, manyQueues, groupsOfTen, oneGroup

        /// The arrangement of the tasks.
        var title: String {
            switch self {
            case .oneQueue: "in 1 queue"
            case .manyQueues: "in 1,000 queues"
            case .groupsOfTen: "in groups of 10"
            case .oneGroup: "with a group of 100,000"
            }
        }
    }

    /// A store with some waiting tasks; eligible ones are at the front. Their type is `t`, or one
    /// of several: `task-0` and so on.
    func filled(_ count: Int, _ shape: Shape, types: Int = 1) throws -> String {
        let (store, path) = try newStore([.concurrency(64)])
        defer { store.close() }
        let each = 10_000
        var number = 0
        while number < count {
            let end = min(number + each, count)
            try Self.commit(number..<end, of: count, shape, types, store)
            number = end
        }
        return path
    }

    private static func commit(
        _ numbers: Range<Int>, of count: Int, _ shape: Shape, _ types: Int,
        _ store: any QueueStore
    ) throws {
        let now = now()
        try store.transactBlocking(at: now) { mutation in
            if shape == .manyQueues {
                // The first and the last of each commit lie in neighbouring queues.
                let queues = 1000
                let step = max(1, count / queues)
                for start in stride(from: numbers.lowerBound, to: numbers.upperBound, by: step) {
                    let size = min(step, numbers.upperBound - start)
                    let queue = start < step ? "q" : "q\(start / step % queues)"
                    _ = try mutation.enqueue(Array(repeating: request(), count: size), to: queue)
                }
            } else {
                _ = try mutation.enqueue(
                    numbers.map { number in
                        var request = request(number, of: count, shape)
                        if types > 1 { request.type = "task-\(number % types)" }
                        if number == 0 || number == count - 1 { request.payload = marked }
                        return request
                    }, to: "q")
            }
        }
    }

    /// The text that only the first and last payload contain.
    static let needle = "needle"
    private static let marked = Array(RawLoop.payload.dropLast(6)) + Array(needle.utf8)

    private static func request(_ number: Int, of count: Int, _ shape: Shape) -> EnqueueRequest {
        var request = request()
        switch shape {
        case .oneQueue, .manyQueues: break
        case .groupsOfTen:
            if number % 10 == 0 {
                request.groupStart = "g\(number / 10)"
            } else {
                request.groupMembers = ["g\(number / 10)"]
            }
        case .oneGroup:
            // After the measured tasks, so that no drain reaches its start.
            let first = count / 2
            if number == first { request.groupStart = "g" }
            if number > first, number <= first + count / 10 { request.groupMembers = ["g"] }
        }
        return request
    }

    /// A durable copy of a closed store.
    func copy(of path: String) throws -> String {
        let copy = newPath()
        try run("cp", [path, copy])
        try Files.syncDisk(of: copy)
        return copy
    }

    /// Reads a file, so that what follows finds it in memory: a machine that shares its memory with
    /// others may take a file's pages within seconds, also if there is room.
    func bringIntoMemory(_ path: String) throws {
        try run("cat", [path])
    }

    private func run(_ program: String, _ arguments: [String]) throws {
        let child = try ChildProcess.spawn(
            Spawn(
                program, arguments, environment: ProcessIdentity.environment(), output: .null))
        _ = try Poll.wait(fds: [PollInterest(child.pidfd.number)], timeoutMilliseconds: 600_000)
        guard try child.reap() == .code(0) else {
            throw Untrue(description: "\(program) \(arguments.joined(separator: " ")) failed")
        }
    }
}
