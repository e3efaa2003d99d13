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
        // Keys of another program, and the place that a step of a tool that died left.
        "ARQTests": 4,
        // A damaged message.
        "AsynqTests": 1,
        // Bull and GitLab's fetcher by their sources, and a set of another program.
        "BullMQFixtureTests": 8,
        // A binding of an unknown form.
        "CeleryFixtureTests": 1,
        // The version that BullMQ for Node writes.
        "ClusterTests": 1,
        // Messages and results of fixtures under other ids, and keys of another program.
        "CeleryTests": 4, "CeleryWorkerTests": 2, "DetailsTests": 1,
        // Names in two spellings, which no library writes.
        "ExactNameTests": 6,
        // 200 jobs in one command, and a failure of this program's own process.
        "GuardTests": 2,
        // Lists without a system.
        "LongListTests": 3,
        // Signs of life of now, settings of a job that a worker has, and another namespace.
        "ReclaimTests": 6,
        // A repeated job between two times, and a retry of a moment.
        "AddOnTests": 3, "ReplicaTests": 2,
        // Content that no library writes, and the fillers of a tool that died.
        "LaravelRedisTests": 6, "TaskiqTests": 2,
        "MessageTests": 6, "PolledTests": 2, "RQFixtureTests": 3,
        // Workers of other queues, and a key that is no list.
        "RQTests": 9,
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
