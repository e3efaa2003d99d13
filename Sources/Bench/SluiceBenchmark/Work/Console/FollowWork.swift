import SluiceControl
import SluiceModel
import SluiceSQL
import SluiceStore
import SluiceSystem

/// W5, T2: how long another process waits for its write while 100,000 members follow their start.
struct FollowWork: Work {
    static let rows = ["W5"]
    let bench: Workbench

    func measure(_ tell: (Figure) throws -> Void) throws {
        try tell(try idle())
        for policy in [StartFailurePolicy.release, .giveUp] {
            let what = policy == .release ? "are freed" : "are given up"
            var wait = Figure(
                id: "W5", title: "another's longest wait while 100,000 members \(what)",
                unit: "ms", goal: .atMost(20))
            var whole = Figure(id: "W5", title: "until all of them \(what)", unit: "ms")
            for _ in 0..<bench.repetitions {
                let (waits, time) = try follow(policy)
                wait.samples.append(Figure.Sample(value: waits.max() ?? 0))
                whole.samples.append(Figure.Sample(value: time * 1000))
            }
            try tell(wait)
            try tell(whole)
        }
    }

    /// The wait without other writers.
    private func idle() throws -> Figure {
        var figure = Figure(id: "W5", title: "another's longest wait beside nobody", unit: "ms")
        for _ in 0..<bench.repetitions {
            let (store, path) = try bench.newStore()
            var bystander = try Bystander(path)
            _ = try Poll.wait(fds: [], timeoutMilliseconds: 2000)
            figure.samples.append(Figure.Sample(value: try bystander.end().max() ?? 0))
            store.close()
        }
        return figure
    }

    private func follow(_ policy: StartFailurePolicy) throws -> (waits: [Double], time: Double) {
        let (store, path) = try bench.newStore()
        defer { store.close() }
        var start = Workbench.request()
        start.groupStart = "g"
        var member = Workbench.request()
        member.groupMembers = ["g"]
        let count = bench.amount(100_000)
        try Workbench.enqueue([start] + Array(repeating: member, count: count), to: "q", store)
        var bystander = try Bystander(path)
        let time = try Workbench.seconds {
            try Workbench.control(store).performBlocking(
                .delete([TaskTarget(1)], cancelsRunning: false, members: policy))
        }
        let waits = try bystander.end()
        let left = try store.readBlocking { store in
            try store.counts(queue: "q").waiting(in: .held)
        }
        guard left == 0 else { throw Workbench.Untrue(description: "\(left) are held") }
        return (waits, time)
    }
}

/// Another process that writes now and then, and says how long each write took it.
struct Bystander {
    private let child: ChildProcess
    private var reader: MomentReader

    /// Starts it, and returns when it has written for a while.
    init(_ path: String) throws {
        child = try ChildProcess.spawn(
            Spawn(
                try ProcessIdentity.executablePath(), ["__waits", path],
                environment: ProcessIdentity.environment(), output: .pipe))
        guard let output = child.output else {
            throw Workbench.Untrue(description: "the bystander has no output")
        }
        reader = MomentReader(output)
        for _ in 0..<20 { _ = try reader.next() }
    }

    /// Ends it; gives the waits in milliseconds.
    mutating func end() throws -> [Double] {
        try child.signal(.kill)
        _ = try Poll.wait(fds: [PollInterest(child.pidfd.number)], timeoutMilliseconds: 5000)
        _ = try child.reap()
        return try reader.rest().map { Double($0) / 1e6 }
    }

    /// The main loop of the child process.
    static func write(_ path: String) throws {
        let store = try SQLiteStore.open(path: path)
        while true {
            let before = SystemClock.monotonicNanoseconds()
            try Workbench.enqueue([Workbench.request()], to: "other", store)
            let wait = SystemClock.monotonicNanoseconds() - before
            try Standard.write("\(wait)\n", to: .output)
            _ = try Poll.wait(fds: [], timeoutMilliseconds: 2)
        }
    }
}
