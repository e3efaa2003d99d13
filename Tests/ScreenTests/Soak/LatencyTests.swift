import SluiceControl
import SluiceModel
import SluiceStore
import SluiceSystem
import SluiceTestSupport
import Testing

extension ConsoleSoak {
    /// How soon another process's change is on the screen (K3).
    @Suite("latency", .serialized)
    struct LatencyTests {
        @Test("K3 a commit of another process is on the screen within 100 ms")
        func commitToScreen() async throws {
            try await Workplace.onOwnThread {
                let place = try Workplace.withStore()
                try place.write(#"{"handlers":{"*":{"simulate":{}}}}"#, to: "handlers.json")
                try place.json(["queue", "set", "mail", "--keep-finished", "1000"])
                let worker = try place.startWorker()
                let neighbour = try Neighbour(at: place)
                try place.json(["queue", "set", "line"])
                try neighbour.perform(.pause(PauseRequest(.queue("mail"))))
                try neighbour.enqueue("mail", (0..<20).map { _ in EnqueueRequest(type: "job") })
                let console = try LiveConsole.open(at: place, showing: "mail")
                var stopwatch = LatencyWatch(console.terminal, neighbour)
                for round in 0..<Soak.count(30, soak: 200) {
                    try stopwatch.measure(Deed.all[round % 4], round: round)
                }
                print("latency: commit to first byte: \(stopwatch.firstByte)")
                print("latency: verb's start to first byte: \(stopwatch.fromStart)")
                print("latency: commit to read on the screen: \(stopwatch.shown)")
                #expect(stopwatch.firstByte.worst < (Soak.isOn ? 100 : 1000))
                try console.quit()
                try worker.signal(.terminate)
                try place.expecting(0, worker.answer())
            }
        }
    }
}

/// The neighbour's actions, in turn. `mail` is always paused, and `line` has no waiting tasks.
private enum Deed: CaseIterable {
    case enqueue, step, pause, resume
    static let all = allCases

    /// Does it; gives the moment of its commit, nil for a step, which ends long after it.
    func act(as neighbour: Neighbour, by person: String) throws -> UInt64? {
        switch self {
        case .enqueue:
            let request = EnqueueRequest(type: "job")
            return try neighbour.perform(.enqueue(queue: "mail", [request]), by: person)
        case .step:
            try neighbour.step("mail", by: person)
            return nil
        case .pause:
            return try neighbour.perform(.pause(PauseRequest(.queue("line"))), by: person)
        case .resume: return try neighbour.perform(.resume(.queue("line")), by: person)
        }
    }

    /// The text on the screen after the action.
    func sign(_ neighbour: Neighbour, by person: String) throws -> String {
        guard self == .step else { return "by \(person)" }
        let query = TaskQuery(queue: "mail", state: .waiting, limit: 1)
        let first = try neighbour.read { try $0.tasks(matching: query).first?.id }
        return "#\(first ?? 0) job"
    }
}

/// Does a verb on one thread and reads the console on another.
private struct LatencyWatch {
    private struct Moments {
        var start: UInt64 = 0
        var commit: UInt64 = 0
        var failure: String?
    }

    let terminal: TerminalSession
    let neighbour: Neighbour
    private(set) var firstByte = Spread()
    private(set) var fromStart = Spread()
    private(set) var shown = Spread()

    init(_ terminal: TerminalSession, _ neighbour: Neighbour) {
        self.terminal = terminal
        self.neighbour = neighbour
    }

    /// Wait for a quiet terminal first. The expected text must not be on the screen yet.
    mutating func measure(_ deed: Deed, round: Int) throws {
        try terminal.settle(quietMilliseconds: 70)
        let offset = terminal.received.count
        let (neighbour, person) = (neighbour, "w\(round).")
        let sign = try deed.sign(neighbour, by: person)
        let known = Protected(Moments())
        let thread = try Thread(name: "neighbour") {
            let start = SystemClock.monotonicNanoseconds()
            known.withLock { $0.start = start }
            do {
                let commit = try deed.act(as: neighbour, by: person)
                known.withLock { $0.commit = commit ?? start }
            } catch {
                known.withLock { $0.failure = "\(error)" }
            }
        }
        let first = try terminal.timeOfByte(at: offset)
        try terminal.wait("\(deed): \(sign)") { $0.position(of: sign) != nil }
        let seen = SystemClock.monotonicNanoseconds()
        thread.join()
        let moments = known.withLock { $0 }
        #expect(moments.failure == nil)
        firstByte.add(nanoseconds: first.since(moments.commit))
        fromStart.add(nanoseconds: first.since(moments.start))
        shown.add(nanoseconds: seen.since(moments.commit))
    }
}
