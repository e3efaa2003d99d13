import SluiceModel
import SluiceSQL
import SluiceStore
import SluiceSystem

/// X: complete programs from start to end, compared with an equivalent C program.
struct ProgramWork: Work {
    static let rows = ["X"]
    let bench: Workbench

    func measure(_ tell: (Figure) throws -> Void) throws {
        let programs = try bench.programs()
        let (store, path) = try bench.newStore()
        store.close()
        let raw = bench.newPath()
        _ = try Self.run(programs.raw, ["make", raw])
        let payload = String(decoding: RawLoop.payload, as: UTF8.self)
        let pairs: [(title: String, own: [String], raw: [String])] = [
            ("sluice version", ["version"], ["version"]),
            (
                "sluice enqueue", ["enqueue", "q", "t", "\"\(payload)\"", "--store", path],
                ["enqueue", raw, "q", payload]
            ),
            ("sluice queues --json", ["queues", "--json", "--store", path], ["queues", raw]),
        ]
        let before = try Workbench.waiting(at: path)
        let each = max(5, bench.amount(40))
        for pair in pairs {
            var figure = Figure(
                id: "X", title: "\(pair.title), start to end", unit: "ms", goal: .atMost(2.5))
            figure.base = "a C program that does the same"
            for _ in 0..<bench.repetitions {
                var (own, bare): ([Double], [Double]) = ([], [])
                for _ in 0..<each {
                    bare.append(try Self.run(programs.raw, pair.raw))
                    own.append(try Self.run(programs.sluice, pair.own))
                }
                figure.samples.append(
                    Figure.Sample(value: own.percentile(50), bare: bare.percentile(50)))
            }
            try tell(figure)
        }
        guard try Workbench.waiting(at: path) == before + each * bench.repetitions else {
            throw Workbench.Untrue(description: "not all that was enqueued is there")
        }
    }

    /// Milliseconds that a program takes, its end included.
    static func run(_ program: String, _ words: [String]) throws -> Double {
        let start = SystemClock.monotonicNanoseconds()
        let child = try ChildProcess.spawn(
            Spawn(
                program, words, environment: ProcessIdentity.environment(), output: .null,
                errors: .descriptor(2)))
        _ = try Poll.wait(fds: [PollInterest(child.pidfd.number)], timeoutMilliseconds: 60_000)
        let end = SystemClock.monotonicNanoseconds()
        guard try child.reap() == .code(0) else {
            throw Workbench.Untrue(description: "\(program) \(words) failed")
        }
        return Double(end - start) / 1e6
    }
}
