import SluiceControl
import SluiceModel
import SluicePlatform
import SluiceSQLiteStore
import SluiceStore

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
