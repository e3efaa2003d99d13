import Platform
import Testing

/// What a process has used so far, from `/proc`.
struct ProcessUse: Equatable {
    /// Processor time in ticks of the kernel.
    let ticks: Int
    /// How often one of its threads was woken: each sleep ends a voluntary switch later.
    let wakes: Int
    /// Its memory.
    let residentKiB: Int

    init(of process: Int32) throws {
        let folder = "/proc/\(process)"
        // The name may have blanks, so the fields are counted from its closing parenthesis.
        let fields =
            try Self.text("\(folder)/stat").split(separator: ")").last?
            .split(separator: " ").map { Int($0) ?? 0 } ?? []
        let (user, system) = (11, 12)
        ticks = try #require(fields.count > system ? fields[user] + fields[system] : nil)
        residentKiB = try Self.number("VmRSS:", in: "\(folder)/status")
        wakes = try Files.list("\(folder)/task").reduce(0) { sum, thread in
            let path = "\(folder)/task/\(thread)/status"
            return try sum + Self.number("voluntary_ctxt_switches:", in: path)
        }
    }

    /// The kernel's letter for what a process does: `T` where it was stopped.
    static func state(of process: Int32) throws -> Character? {
        try text("/proc/\(process)/stat").split(separator: ")").last?.first { $0 != " " }
    }

    private static func text(_ path: String) throws -> String {
        String(decoding: try Files.read(path, limitBytes: 1 << 16), as: UTF8.self)
    }

    private static func number(_ name: String, in path: String) throws -> Int {
        let line = try text(path).split(separator: "\n").first { $0.hasPrefix(name) } ?? ""
        let words = line.split { $0 == " " || $0 == "\t" }
        return try #require(words.dropFirst().first.flatMap { Int($0) }, "\(name) of \(path)")
    }
}
