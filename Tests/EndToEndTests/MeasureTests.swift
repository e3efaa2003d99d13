import Platform
import ProgramHarness
import QueueModel
import Testing

/// What it costs, as a printed report; only that an idle worker costs nothing is asserted.
@Suite("end to end: measurements", .serialized)
struct MeasureTests {
    @Test("how long a look takes from its start to its exit")
    func spawnToExit() async throws {
        try await Workplace.onOwnThread {
            let place = try Workplace.withStore()
            _ = try place.enqueue("mail", count: 100)
            var codes: Set<Int32> = []
            let times = try (0..<20).map { _ in
                try Stopwatch.milliseconds { codes.insert(try place.sluice(["queues"]).code) }
            }
            #expect(codes == [0])
            print("measured: sluice queues, spawn to exit, \(Stopwatch.summary(times))")
        }
    }

    @Test("how long a lone enqueue takes to start its task in an idle worker")
    func enqueueToStart() async throws {
        try await Workplace.onOwnThread {
            let place = try Workplace.withStore()
            try place.employWitness()
            try place.json(["queue", "set", "mail", "--keep-finished", "1000"])
            _ = try place.startWorker()
            var whole: [Double] = []
            var claims: [Double] = []
            for round in 0..<Soak.count(10, soak: 200) {
                let began = SystemClock.nowMilliseconds()
                let id = try place.enqueue("mail", count: 1).first ?? 0
                try place.wait(for: "the task") {
                    try place.count("mail", "succeeded") == round + 1
                }
                let start = place.testimony.lines.last { $0.word == "start" }?.nanoseconds ?? 0
                whole.append(Double(start) / 1e6 - Double(began))
                let task = try place.json(["show", "#\(id)"])
                let moments = [task["createdAt"], task["attemptLog"]?[0]?["startedAt"]]
                    .compactMap { $0?.string.flatMap({ TimeText.rfc3339($0) }) }
                if moments.count == 2 { claims.append(Double(moments[1] - moments[0])) }
            }
            print(
                "measured: enqueue's spawn to the handler's first line, "
                    + Stopwatch.summary(whole))
            #expect(claims.count == Soak.count(10, soak: 200))
            print("measured: enqueued to claimed by an idle worker, \(Stopwatch.summary(claims))")
        }
    }

    @Test("A2 an idle worker uses no processor time and is never woken")
    func idle() async throws {
        try await Workplace.onOwnThread {
            let place = try Workplace.withStore()
            try place.employWitness()
            let worker = try place.startWorker()
            _ = try place.enqueue("mail", count: 1)
            try place.wait(for: "the only task") { try place.count("mail", "waiting") == 0 }
            try place.wait(for: "its end") { try place.count("mail", "running") == 0 }
            // What a task leaves behind (its commit's notice, a burial that was put off) is over
            // when nothing has been used for a while.
            var before = try Usage(of: worker.processID)
            var rested: Usage
            repeat {
                rested = before
                Stopwatch.pass(seconds: 1)
                before = try Usage(of: worker.processID)
            } while rested != before
            let seconds = Soak.count(3, soak: 30)
            Stopwatch.pass(seconds: seconds)
            let after = try Usage(of: worker.processID)
            print(
                "measured: an idle worker in \(seconds) s: \(after.ticks - before.ticks) ticks, "
                    + "\(after.switches - before.switches) switches of \(after.threads) threads, "
                    + "\(after.residentKiB) KiB")
            #expect(after.ticks == before.ticks)
            #expect(after.switches == before.switches)
        }
    }
}

/// What a process has used so far, from `/proc`.
struct Usage: Equatable {
    /// Processor time in ticks of the kernel.
    var ticks: Int
    /// Voluntary switches of all its threads.
    var switches: Int
    /// How many threads it has.
    var threads: Int
    /// Its memory.
    var residentKiB: Int

    init(of process: Int32) throws {
        let stat = try Self.text("/proc/\(process)/stat").split(separator: ")").last ?? ""
        let fields = stat.split(separator: " ")
        // utime and stime are the 14th and 15th fields; the first after the name is the third.
        ticks = fields[11...12].compactMap { Int($0) }.reduce(0, +)
        residentKiB = try Self.number("VmRSS:", in: "/proc/\(process)/status")
        let tasks = try Files.list("/proc/\(process)/task")
        threads = tasks.count
        switches = try tasks.reduce(0) { sum, thread in
            let path = "/proc/\(process)/task/\(thread)/status"
            return try sum + Self.number("voluntary_ctxt_switches:", in: path)
        }
    }

    private static func text(_ path: String) throws -> String {
        String(decoding: try Files.read(path, limitBytes: 1 << 16), as: UTF8.self)
    }

    private static func number(_ name: String, in path: String) throws -> Int {
        let line = try text(path).split(separator: "\n").first { $0.hasPrefix(name) } ?? ""
        return line.split(whereSeparator: { $0 == " " || $0 == "\t" }).dropFirst().first
            .flatMap { Int($0) } ?? 0
    }
}

/// Times of what is measured.
enum Stopwatch {
    static func milliseconds(_ body: () throws -> Void) rethrows -> Double {
        let begin = SystemClock.monotonicNanoseconds()
        try body()
        return Double(SystemClock.monotonicNanoseconds() - begin) / 1e6
    }

    /// The median and the range.
    static func summary(_ times: [Double]) -> String {
        let sorted = times.sorted()
        guard let first = sorted.first, let last = sorted.last else { return "nothing" }
        func text(_ time: Double) -> String { "\((time * 10).rounded() / 10)" }
        return "median \(text(sorted[sorted.count / 2])) ms, from \(text(first)) to "
            + "\(text(last)) ms, n = \(sorted.count)"
    }

    /// Lets time pass in which something shall not happen.
    static func pass(seconds: Int) {
        _ = try? Poll.wait(fds: [], timeoutMilliseconds: seconds * 1000)
    }
}
