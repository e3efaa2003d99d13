import Sluice
import SluiceModel
import SluiceSystem
import SluiceTestSupport
import Testing

/// Programs with a session that are killed, and so are the workers that carry it.
@Suite("crash: sessions", .serialized)
struct SessionKillTests {
    @Test("PN-19 kill -9 of app and worker at any moment loses no result and makes none up")
    func kills() async throws {
        let seed = Soak.seed()
        print("session kills: seed \(seed)")
        try await Workplace.onOwnThread {
            let place = try Workplace.withStore()
            try place.employWitness()
            try place.json([
                "queue", "set", "uploads", "--retry", "fixed(0s)", "--concurrency", "2",
            ])
            var chance = SeededChance(seed: seed)
            let program = try BuiltProgram.path(of: "SluiceUploaderExample")
            var outputs: [String] = []
            var worker = try place.startWorker()
            let lives = Soak.count(12, soak: 150)
            // On a busy machine a life may be too short to hand anything over.
            while outputs.count < lives || Self.handed(outputs).count <= lives {
                let life = outputs.count
                try #require(life < 10 * lives, "the lives hand too little over")
                let pictures = life % 2 == 0 ? (0..<8).map { "\(life)-\($0)" } : []
                let app = try place.start("stdbuf", ["-oL", program, place.store] + pictures)
                let goal = chance.number(1...12)
                try place.wait(for: "lines of the app") {
                    app.output.split(separator: "\n").count >= goal || !app.isRunning
                }
                _ = try Poll.wait(fds: [], timeoutMilliseconds: chance.number(0...5))
                try app.signal(.kill)
                try app.answer()
                outputs.append(app.output)
                guard chance.number(0...1) == 0 else { continue }
                try worker.signal(.kill)
                try worker.answer()
                worker = try place.startWorker()
            }
            let last = try place.start("stdbuf", ["-oL", program, place.store])
            #expect(try last.answer().code == 0)
            outputs.append(last.output)
            judge(outputs)
            #expect(try place.json(["results", "uploads"])["results"]?.array == [])
            try worker.signal(.terminate)
            try place.expecting(0, worker.answer())
        }
    }

    /// Checks that every enqueued task was reported. A second report is valid only if the process
    /// died during the first.
    private func judge(_ outputs: [String]) {
        let (handed, lives) = (Self.handed(outputs), outputs.count - 1)
        var told: [Substring: Int] = [:]
        for line in outputs.flatMap({ $0.split(separator: "\n") }) {
            let words = line.split(separator: " ")
            if line.hasPrefix("result"), line.hasSuffix(": sent") {
                told[words[1], default: 0] += 1
            }
        }
        let twice = told.values.reduce(0) { $0 + $1 - 1 }
        print("session kills: \(handed.count) handed over, \(told.count) told, \(twice) again")
        #expect(handed.isSubset(of: told.keys))
        // A hand-over may be durable before it was said: one for each life at most.
        #expect(told.count <= handed.count + lives)
        #expect(twice <= lives)
    }

    /// The tasks whose hand-over the lives have printed.
    private static func handed(_ outputs: [String]) -> Set<Substring> {
        let lines = outputs.flatMap { $0.split(separator: "\n") }
        return Set(
            lines.compactMap { line in
                let words = line.split(separator: " ")
                return line.hasPrefix("handed over") && words.count == 4 ? words[2] : nil
            })
    }

    @Test("PN-19 killed at any change or commit of handing over, or of collecting, nothing is lost")
    func points() async throws {
        let folder = try Files.makeTemporaryDirectory(prefix: "sluice-session-points")
        defer { try? Files.removeTree(folder) }
        let stride = Soak.count(7, soak: 1)
        var point = 1
        while point < 400 {
            let path = "\(folder)/\(point)"
            for phase in ["hand over", "collect"] {
                await #expect(processExitsWith: .signal(9)) {
                    [path = path as String, phase = phase as String, point = point as Int] in
                    try await SessionLife(path: path, killAt: point).live(phase)
                }
                try await SessionLife(path: path, killAt: nil).work()
            }
            _ = try await SessionLife(path: path, killAt: nil).collect()
            let left = try await SessionLife(path: path, killAt: nil).collect()
            #expect(left == [], "point \(point)")
            let journal = SessionLife.lines(path)
            let handed = Set(journal.filter { $0.hasPrefix("handed") }.map { $0.dropFirst(7) })
            let told = journal.filter { $0.hasPrefix("told") }.map { $0.dropFirst(5) }
            #expect(handed.isSubset(of: told), "point \(point)")
            // One end, at most, was told to a life that could not say so.
            #expect(told.count <= Set(told).count + 1, "point \(point)")
            guard journal.filter({ $0 == "lived to the end" }).count < 2 else { break }
            point += stride
        }
        print("session points: the longer of the two ways is about \(point) points long")
        #expect(point > stride && point < 400)
    }
}

/// A process of a program, killed at a change or commit of its store. It immediately logs its
/// knowledge.
struct SessionLife {
    struct Job: TaskPayload {
        static let taskType = "job"
        var number: Int
    }

    var path: String
    var killAt: Int?

    private func client() throws -> QueueClient {
        let faults = WriteFaults()
        if let killAt { faults.kill(at: killAt) }
        return QueueClient(
            store: try SQLiteStore.open(
                path: "\(path).db", createIfMissing: true, durability: .normal, faults: faults))
    }

    static func lines(_ path: String) -> [String] {
        let bytes = (try? Files.read("\(path).log", limitBytes: 1 << 20)) ?? []
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    private func note(_ line: String) throws {
        let known = Self.lines(path) + [line]
        try Files.writeAtomically(
            Array((known.joined(separator: "\n") + "\n").utf8), to: "\(path).log")
    }

    /// One phase of a program's life. It also ends with a kill, at its last line.
    func live(_ phase: String) async throws {
        if phase == "collect" {
            _ = try await collect()
        } else {
            let session = try await client().session("s")
            for number in 1...4 {
                let id = try await session.enqueue(Job(number: number))
                try note("handed \(id)")
            }
            try await session.close()
        }
        try note("lived to the end")
        try Signal.kill.sendToSelf()
    }

    func collect() async throws -> [TaskID] {
        let session = try await client().session("s", of: Job.self)
        var told: [TaskID] = []
        for item in session.reconnected {
            let end = try await session.end(of: item.id)
            told.append(end.id)
            try note("told \(end.id)")
            try await session.acknowledge(end)
        }
        try await session.close()
        return told
    }

    /// The agent between two lives.
    func work() async throws {
        let client = try client()
        try client.handle(Job.self, returning: Int.self) { job, _ in job.number }
        try await client.drain()
        client.store.close()
    }
}
