import SluiceSystem

/// Resource usage of a process, from `/proc`.
package struct ProcessUse: Equatable, Sendable {
    /// Processor time in ticks of the kernel.
    package let ticks: Int
    /// How often one of its threads was woken: each sleep ends a voluntary switch later.
    package let wakes: Int
    package let threads: Int
    package let residentKiB: Int
    /// The most memory that it ever had.
    package let peakKiB: Int

    /// Reads the current usage. Throws if the process does not exist.
    package init(of process: Int32) throws {
        let folder = "/proc/\(process)"
        ticks = try Self.ticks(of: process)
        residentKiB = try Self.number("VmRSS:", in: "\(folder)/status")
        peakKiB = try Self.number("VmHWM:", in: "\(folder)/status")
        let tasks = try Files.list("\(folder)/task")
        threads = tasks.count
        wakes = try tasks.reduce(0) { sum, thread in
            let path = "\(folder)/task/\(thread)/status"
            return try sum + Self.number("voluntary_ctxt_switches:", in: path)
        }
    }

    /// The processor time of a process in kernel ticks. Works for a zombie too.
    package static func ticks(of process: Int32) throws -> Int {
        let path = "/proc/\(process)/stat"
        // The name may have blanks, so the fields are counted from its closing parenthesis.
        let fields =
            try text(path).split(separator: ")").last?
            .split(separator: " ").map { Int($0) ?? 0 } ?? []
        let (user, system) = (11, 12)
        guard fields.count > system else { throw ProgramFailure.unreadable(path) }
        return fields[user] + fields[system]
    }

    /// The kernel's state letter of a process: `T` for stopped.
    package static func state(of process: Int32) throws -> Character? {
        try text("/proc/\(process)/stat").split(separator: ")").last?.first { $0 != " " }
    }

    private static func text(_ path: String) throws -> String {
        String(decoding: try Files.read(path, limitBytes: 1 << 16), as: UTF8.self)
    }

    private static func number(_ name: String, in path: String) throws -> Int {
        let line = try text(path).split(separator: "\n").first { $0.hasPrefix(name) } ?? ""
        let words = line.split { $0 == " " || $0 == "\t" }
        guard let number = words.dropFirst().first.flatMap({ Int($0) }) else {
            throw ProgramFailure.unreadable("\(name) of \(path)")
        }
        return number
    }
}
