import SluiceControl
import SluiceModel
import SluicePlatform
import SluiceSQLiteStore
import SluiceStore

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
