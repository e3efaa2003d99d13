import SluiceControl
import SluiceModel
import SluiceSQL
import SluiceStore
import SluiceSystem

/// I: fixed work under callgrind, twice. The count does not depend on the machine's load.
struct InstructionWork: Work {
    static let rows = ["I"]
    let bench: Workbench

    func measure(_ tell: (Figure) throws -> Void) throws {
        for work in FixedWork.allCases {
            var figure = Figure(
                id: "I", title: "instructions: \(work.title)", unit: "million")
            figure.isCount = true
            let path = ProcessIdentity.environment("PATH") ?? ""
            if path.split(separator: ":").contains(where: { Files.exists("\($0)/valgrind") }) {
                for _ in 0..<2 {
                    figure.samples.append(
                        Figure.Sample(value: try count(work), bare: nil))
                }
            } else {
                figure.absence = "valgrind is not installed: apt-get install valgrind"
            }
            try tell(figure)
        }
    }

    private func count(_ work: FixedWork) throws -> Double {
        let (store, path) = try bench.newStore([.concurrency(64)])
        if work == .drain {
            try Workbench.enqueue(
                Array(repeating: Workbench.request(), count: 1000), to: "q", store)
        }
        store.close()
        let own = try Self.withoutDebugInformation(bench.newPath())
        let child = try ChildProcess.spawn(
            Spawn(
                "valgrind",
                [
                    "--tool=callgrind", "--callgrind-out-file=/dev/null", own, "__fixed",
                    work.rawValue, path,
                ], environment: ProcessIdentity.environment(), output: .null, errors: .pipe))
        guard let errors = child.errors else { return 0 }
        var text: [UInt8] = []
        reading: while true {
            switch try errors.read(atMost: 4096) {
            case .bytes(let more): text += more
            case .nothingYet:
                _ = try Poll.wait(
                    fds: [PollInterest(errors.number)], timeoutMilliseconds: 600_000)
            case .end: break reading
            }
        }
        _ = try Poll.wait(fds: [PollInterest(child.pidfd.number)], timeoutMilliseconds: 10_000)
        let said = String(decoding: text, as: UTF8.self)
        guard try child.reap() == .code(0), let total = Self.collected(said) else {
            throw Workbench.Untrue(description: "callgrind failed: \(said)")
        }
        return Double(total) / 1e6
    }

    /// A copy of this program without debug information, because valgrind cannot read all of
    /// Swift's. Without `strip`, the program itself.
    private static func withoutDebugInformation(_ path: String) throws -> String {
        let own = try ProcessIdentity.executablePath()
        let words = ["-g", "-o", path, own]
        guard
            let strip = try? ChildProcess.spawn(
                Spawn("strip", words, environment: ProcessIdentity.environment()))
        else { return own }
        _ = try Poll.wait(fds: [PollInterest(strip.pidfd.number)], timeoutMilliseconds: 60_000)
        return try strip.reap() == .code(0) ? path : own
    }

    /// The total from callgrind's last lines.
    static func collected(_ text: String) -> Int? {
        for line in text.split(separator: "\n") where line.contains("Collected :") {
            return line.split(separator: " ").last.flatMap { Int($0) }
        }
        return nil
    }
}

/// Work of a fixed size in one process.
enum FixedWork: String, CaseIterable {
    case enqueue, bulk, drain, open

    var title: String {
        switch self {
        case .enqueue: "500 enqueues, one commit each"
        case .bulk: "5,000 tasks in one commit"
        case .drain: "1,000 tasks drained by 64 slots"
        case .open: "a store opened and its queues read"
        }
    }

    static func run(_ name: String, _ path: String) throws {
        guard let work = FixedWork(rawValue: name) else { return }
        if work == .drain { return try Worker.drain(path, slots: 64, limit: .max) }
        let store = try SQLiteStore.open(path: path)
        defer { store.close() }
        switch work {
        case .enqueue:
            for _ in 0..<500 { try Workbench.enqueue([Workbench.request()], to: "q", store) }
        case .bulk:
            try Workbench.enqueue(
                Array(repeating: Workbench.request(), count: 5000), to: "q", store)
        case .drain, .open: _ = try store.readBlocking { try $0.queues() }
        }
    }
}
