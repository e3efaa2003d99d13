import Testing

/// Layouts of other systems in tests come from their own libraries: `Fixtures/make.py`.
@Suite("layouts of other systems")
struct ForeignLayoutTests {
    private static let folder = "Tests/ForeignQueuesTests/"

    private static let commands = [
        "SET", "HSET", "HMSET", "ZADD", "SADD", "LPUSH", "RPUSH", "XADD", "LSET", "LINSERT", "INCR",
    ].map { "\"\($0)\"" }

    /// The lines that may still write to Redis by hand, by file. A number may only fall.
    private static let allowances = [
        // This program's own marks of a step whose tool died, and a key of another program.
        "ARQTests": 3,
        // A repeated job between two times, which a worker keeps for a moment.
        "AddOnTests": 3,
        // Bull and GitLab's fetcher by their sources: no registry that is read here has them.
        "BullMQFixtureTests": 6,
        // The version that BullMQ for Node writes, and Python's does not.
        "BullMQListTests": 1,
        // Real messages and results of fixtures, which arrive one by one while a worker waits.
        "CeleryTests": 3,
        // The same, and the answer of a played worker.
        "CeleryWorkerTests": 2,
        // A filter of recorded commands by their names.
        "DetailsTests": 1,
        // 200 ids in one command, and a failure that this program's own process notes.
        "GuardTests": 2,
        // Keys that look like Laravel's, of other types and without jobs.
        "LaravelRedisTests": 6,
        // Elements without a system, for the lists themselves.
        "LongListTests": 3,
        // Fillers of this program, and an element of Resque that is no failure.
        "PolledTests": 2,
        // A payload of five megabytes.
        "RQFixtureTests": 1,
        // Members of a set that are no queues, and texts in the place of lists.
        "RQTests": 3,
        // Retries of Sidekiq at chosen moments, with and without the time of the failure.
        "ReplicaTests": 2,
        // A list of another program, and a text in the place of a stream.
        "TaskiqTests": 2,
    ]

    private static func written(_ file: SourceFile) -> [String] {
        file.lines.filter { line in
            commands.contains { line.contains($0) } && !line.contains(":sluice:")
        }
    }

    @Test("a test of another system writes its keys by its own library, with few exceptions")
    func layouts() {
        let files = SourceTree.swift.filter { $0.path.hasPrefix(Self.folder) }
        #expect(files.count > 30)
        #expect(Self.allowances.values.reduce(0, +) < 50)
        for file in files {
            let found = Self.written(file)
            #expect(
                found.count == Self.allowances[file.name, default: 0],
                """
                \(file): \(found.joined(separator: "\n")): write this by a scenario of \
                Fixtures/make.py, or lower the number of the file here
                """)
        }
    }

    @Test("a line that writes a key is found, one that names a key of this program is not")
    func examples() {
        let lines = [
            #"try redis.call("HSET", "rq:job:a", "status", "queued")"#,
            #"RedisCommand("RPUSH", "rq:queue:mail", id)"#,
            #"try redis.call("HSET", "{rq:queue:mail}:sluice:hold", "by", "dana")"#,
            #"try redis.call("LRANGE", "rq:queue:mail", 0, -1)"#,
        ]
        let file = SourceFile(path: "Tests/ForeignQueuesTests/A.swift", lines: lines)
        #expect(Self.written(file) == Array(lines.prefix(2)))
    }
}
