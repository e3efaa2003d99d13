import SluiceCRawLoop
import SluiceSystem

/// The raw C loop on SQLite that every figure is a ratio to.
struct RawLoop {
    /// The tables that the loop works on, with the statements of its steps.
    struct Tables {
        var name: String
        var schema: String
        var insert: [String]
        var claim: [String]
        var settle: [String]
        /// Queries of the rules in the same commit.
        var asked: [String] = []
        /// Statements that give the task ?1, inserted by the same commit, to the other process.
        var handOver: [String] = []
        /// The queries with which that process reads the task.
        var read: [String] = []
        /// Further queries of the rules in that process.
        var readAsked: [String] = []
    }

    /// Why the loop failed.
    struct Failure: Error, CustomStringConvertible {
        var description: String
    }

    private let loop: OpaquePointer
    private let tables: Tables
    let path: String
    private static let full: Int32 = 2
    static let payload = [UInt8](repeating: 0x61, count: 200)

    /// Makes a file with these tables.
    init(path: String, tables: Tables) throws {
        try self.init(existing: path, tables: tables)
        guard raw_loop_script(loop, tables.schema) == 0 else { throw failure }
    }

    /// Opens a file with these tables.
    init(existing path: String, tables: Tables) throws {
        guard let loop = raw_loop_open(path, Self.full) else {
            throw Failure(description: "\(path) cannot be opened by the raw loop")
        }
        (self.loop, self.tables, self.path) = (loop, tables, path)
    }

    func close() { raw_loop_close(loop) }

    private var failure: Failure {
        Failure(description: String(cString: raw_loop_message(loop)))
    }

    /// Tasks for each second, `each` of them in one commit.
    func insert(
        first: Int, count: Int, each: Int = 1, _ payload: [UInt8] = payload
    ) throws -> Double {
        let time = tables.insert.withStep { step in
            payload.withUnsafeBytes { bytes in
                raw_loop_insert(
                    loop, step, Int64(first), Int64(count), Int64(each), bytes.baseAddress,
                    Int32(bytes.count))
            }
        }
        guard time > 0 else { throw failure }
        return Double(count) / (Double(time) / 1e9)
    }

    /// The rate of inserts per second by some threads; concurrent inserts share a commit.
    func insert(threads: Int, count: Int) throws -> Double {
        let time = tables.insert.withStep { step in
            Self.payload.withUnsafeBytes { bytes in
                raw_loop_insert_by_threads(
                    loop, step, Int32(threads), Int64(count), bytes.baseAddress,
                    Int32(bytes.count))
            }
        }
        guard time > 0 else { throw failure }
        return Double(count) / (Double(time) / 1e9)
    }

    /// Drains the store and returns tasks per second. Claims and settles have one commit each; with
    /// `turns`, a commit settles the tasks in hand and claims the next ones.
    func drain(limit: Int, turns: raw_turns? = nil) throws -> Double {
        var settled: Int64 = 0
        let time = tables.claim.withStep { claim in
            tables.settle.withStep { settle in
                if let turns {
                    return raw_loop_drain_fused(
                        loop, claim, settle, turns, Int64(limit), &settled)
                }
                return raw_loop_drain(loop, claim, settle, Int64(limit), &settled)
            }
        }
        guard time > 0 else { throw failure }
        return Double(settled) / (Double(time) / 1e9)
    }

    /// The same during a recording that needs some bytes per task.
    func drain(limit: Int, turns: raw_turns, recorded bytes: Int) throws -> Double {
        var settled: Int64 = 0
        let file = "\(path).tape"
        let (leave, look, forget) = Self.recording
        let time = withSteps([tables.claim, tables.settle, leave, look, forget]) { steps in
            file.withCString { file in
                let recording = raw_recording(
                    leave: steps[2], look: steps[3], forget: steps[4], bytes: Int64(bytes),
                    file: file)
                return raw_loop_drain_recorded(
                    loop, path, Self.full, steps[0], steps[1], recording, turns, Int64(limit),
                    &settled)
            }
        }
        guard time > 0 else { throw failure }
        let size = try Files.status(file)?.sizeBytes ?? 0
        guard size == settled * Int64(bytes) else {
            throw Failure(description: "\(size) bytes were recorded of \(settled) tasks")
        }
        try Files.remove(file)
        return Double(settled) / (Double(time) / 1e9)
    }

    /// The statements of a recording in a store that Sluice created: insert rows in a commit, read
    /// them, and delete them.
    private static let recording = (
        leave: [
            "SELECT at, total FROM sluice_tape ORDER BY number LIMIT 2",
            """
            INSERT INTO sluice_tape (number, at, total, body)
            SELECT coalesce(
                (SELECT number FROM sluice_tape ORDER BY number DESC LIMIT 1), 0) + 1,
                1, 1, CAST(?2 AS TEXT)
            """,
        ],
        look: ["SELECT number, body FROM sluice_tape WHERE body <> '' ORDER BY number LIMIT ?1"],
        forget: [
            "DELETE FROM sluice_tape WHERE number < ?1",
            "UPDATE sluice_tape SET body = '' WHERE number = ?1",
        ]
    )

    private func withSteps<Value>(_ lists: [[String]], _ body: ([raw_step]) -> Value) -> Value {
        guard let list = lists.first else { return body([]) }
        return list.withStep { step in
            withSteps(Array(lists.dropFirst())) { body([step] + $0) }
        }
    }

    /// The milliseconds for two threads to search some payloads of a store, and the number of
    /// matches.
    static func search(_ path: String, count: Int, for word: String) throws -> (Double, Int) {
        let query = "SELECT payload FROM sluice_task WHERE id BETWEEN ?1 AND ?2"
        let wanted = Array(word.utf8)
        var found: Int64 = 0
        let time = raw_loop_search(
            path, query, 2, Int64(count), wanted, Int32(wanted.count), &found)
        guard time > 0 else { throw Failure(description: "\(path) cannot be searched") }
        return (Double(time) / 1e6, Int(found))
    }

    /// How an enqueue comes to the other process.
    enum HandOff {
        /// The other process claims it in a separate commit.
        case claimed
        /// The enqueuing process also claims the task; the other one only receives a notification.
        case told
        /// The other one also reads the task, and settles it after its answer.
        case handedOver
        /// The same, and each asks what Sluice's rules have it ask.
        case handedOverAsking
    }

    /// Milliseconds from before an enqueue in one process to its start in another, woken by a
    /// datagram.
    func wake(first: Int, count: Int, _ handOff: HandOff = .claimed) throws -> [Double] {
        var times = [Int64](repeating: 0, count: count)
        let steps = steps(handOff)
        let result = steps.insert.withStep { insert in
            steps.claim.withStep { claim in
                steps.read.withStep { read in
                    steps.settle.withStep { settle in
                        raw_loop_wake(
                            path, Self.full, insert,
                            raw_service(claim: claim, read: read, settle: settle), Int64(first),
                            Int32(count), &times)
                    }
                }
            }
        }
        guard result == 0 else {
            throw Failure(description: "the raw loop of two processes failed")
        }
        return times.map { Double($0) / 1e6 }
    }

    /// The statements of the enqueuing process and of the other one.
    private func steps(_ handOff: HandOff) -> (
        insert: [String], claim: [String], read: [String], settle: [String]
    ) {
        switch handOff {
        case .claimed: (tables.insert, tables.claim, [], [])
        case .told: (tables.insert, [], [], [])
        case .handedOver: (tables.insert + tables.handOver, [], tables.read, tables.settle)
        case .handedOverAsking:
            (
                tables.insert + tables.asked + tables.handOver, [],
                tables.readAsked + tables.read, tables.settle
            )
        }
    }
}

extension [String] {
    /// The statements as the C loop takes them.
    fileprivate func withStep<Value>(_ body: (raw_step) -> Value) -> Value {
        let texts = map { Array<CChar>($0.utf8CString) }
        let places = texts.map { text in
            let place = UnsafeMutablePointer<CChar>.allocate(capacity: text.count)
            place.initialize(from: text, count: text.count)
            return place
        }
        defer { places.forEach { $0.deallocate() } }
        return places.map { UnsafePointer<CChar>?($0) }.withUnsafeBufferPointer { pointers in
            body(raw_step(statements: pointers.baseAddress, count: pointers.count))
        }
    }
}
