import SluiceModel
import SluiceSQL
import SluiceSystem

/// W9: files of lines with large payloads, compared with a durable copy of the file.
struct LineWork: Work {
    static let rows = ["W9"]
    let bench: Workbench
    private static let payloadBytes = 1_000_000

    func measure(_ tell: (Figure) throws -> Void) throws {
        let sluice = try bench.programs().sluice
        var memory = Figure(
            id: "W9", title: "enqueue --jsonl of 1 GB in one commit: memory", unit: "MiB",
            goal: .atMost(1.5))
        memory.base = "the same of a tenth"
        var rate = Figure(
            id: "W9", title: "import of payloads of 1 MB", unit: "MB/s", goal: .atLeast(1.0 / 3))
        rate.base = "cp and fsync"
        for _ in 0..<bench.repetitions {
            let peaks = try [bench.amount(1000), bench.amount(1000) / 10 + 1].map { count in
                let file = try lines(count)
                let words = ["enqueue", "q", "--jsonl", file, "--quiet"]
                let (_, peak) = try run(sluice, words, count)
                try Files.remove(file)
                return peak
            }
            memory.samples.append(Figure.Sample(value: peaks[0], bare: peaks[1]))
            let count = bench.amount(300)
            let file = try lines(count)
            let megabytes = Double(count * Self.payloadBytes) / 1e6
            let copied = try Workbench.seconds { try Files.remove(try bench.copy(of: file)) }
            let (time, _) = try run(sluice, ["import", file, "--queue", "q", "--quiet"], count)
            rate.samples.append(
                Figure.Sample(value: megabytes / time, bare: megabytes / copied))
            try Files.remove(file)
        }
        try tell(memory)
        try tell(rate)
    }

    /// A file of some lines, each with a payload of a megabyte.
    private func lines(_ count: Int) throws -> String {
        let path = "\(bench.newPath()).jsonl"
        let text = String(repeating: "0123456789abcdef ", count: Self.payloadBytes / 17)
        let line = Array(#"{"type":"t","payload":"\#(text)"}"#.utf8) + [10]
        let file = try Files.create(path)
        for _ in 0..<count { try file.writeAll(line) }
        return path
    }

    /// The seconds and MiB of a command on a new store, which must then contain `count` waiting
    /// tasks.
    private func run(
        _ sluice: String, _ words: [String], _ count: Int
    ) throws -> (seconds: Double, peak: Double) {
        let path = bench.newPath()
        var peak = 0.0
        let time = try Workbench.seconds {
            let child = try ChildProcess.spawn(
                Spawn(
                    sluice, words + ["--store", path], environment: ProcessIdentity.environment(),
                    output: .null, errors: .descriptor(2)))
            while try Poll.wait(
                fds: [PollInterest(child.pidfd.number)], timeoutMilliseconds: 10
            ).isEmpty {
                peak = max(peak, try Self.peak(child.processID))
            }
            guard try child.reap() == .code(0) else {
                throw Workbench.Untrue(description: "sluice \(words) failed")
            }
        }
        try Workbench.prove(path, waiting: count)
        try Files.remove(path)
        return (time, peak)
    }

    private static func peak(_ process: Int32) throws -> Double {
        let text = String(
            decoding: try Files.read("/proc/\(process)/status", limitBytes: 1 << 16),
            as: UTF8.self)
        guard let line = text.split(separator: "\n").first(where: { $0.hasPrefix("VmHWM:") })
        else { return 0 }
        return Double(line.split(whereSeparator: { $0 == " " || $0 == "\t" })[1]).map { $0 / 1024 }
            ?? 0
    }
}
