import SluiceSystem

/// The processor time that other guests of the host took: the kernel's stolen time, relative to all
/// time used or wanted.
struct StolenTime {
    private let stolen: Double
    private let wanted: Double

    /// Reads the counts since boot; throws if the kernel does not report them.
    init() throws {
        let bytes = try Files.read("/proc/stat", limitBytes: 1 << 20)
        try self.init(firstLine: String(decoding: bytes.prefix { $0 != 10 }, as: UTF8.self))
    }

    /// Parses the line for all processors: `cpu`, and hundredths of seconds by use.
    init(firstLine line: String) throws {
        let counts = line.split(separator: " ").dropFirst().compactMap { Double($0) }
        guard counts.count >= 8 else {
            throw Workbench.Untrue(description: "/proc/stat does not say what was stolen: \(line)")
        }
        stolen = counts[7]
        // User, nice, system, both kinds of interrupts, and stolen time.
        wanted = [0, 1, 2, 5, 6, 7].reduce(0) { $0 + counts[$1] }
    }

    /// The share that was stolen since then; nil where less than a tenth of a second was wanted.
    func share(since former: StolenTime) -> Double? {
        let used = wanted - former.wanted
        return used < 10 ? nil : (stolen - former.stolen) / used
    }

    /// More than that, and a figure says little of this program.
    static let limit = 0.1

    /// Waits until little is stolen, for two minutes at most.
    static func waitForQuiet() throws {
        let end = SystemClock.monotonicMilliseconds() + 120_000
        while SystemClock.monotonicMilliseconds() < end {
            let before = try StolenTime()
            let stop = SystemClock.monotonicMilliseconds() + 300
            while SystemClock.monotonicMilliseconds() < stop {}
            if try StolenTime().share(since: before) ?? 1 < limit / 2 { return }
            _ = try Poll.wait(fds: [], timeoutMilliseconds: 5000)
        }
    }
}
