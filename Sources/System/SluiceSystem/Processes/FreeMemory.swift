import Glibc

/// The free memory by this process's limit and by the system, without control groups.
package enum FreeMemory {
    /// The free memory in bytes: the lesser of the rest of this process's limit (`ulimit -v`) and
    /// the system's available memory. `nil` if both are unknown. Ignores control group limits: the
    /// group's usage includes the file cache.
    package static func bytes() -> Int64? {
        [belowOwnLimit(), available()].compactMap { $0 }.min()
    }

    private static func belowOwnLimit() -> Int64? {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit) == 0,
            limit.rlim_cur <= Int64.max,
            let pages = number(in: "/proc/self/statm", behind: "")
        else { return nil }
        return max(0, Int64(limit.rlim_cur) - pages * Int64(sysconf(Int32(_SC_PAGESIZE))))
    }

    private static func available() -> Int64? {
        number(in: "/proc/meminfo", behind: "MemAvailable:").map { $0 << 10 }
    }

    /// The first number after a word in a file, or `nil`.
    private static func number(in path: String, behind word: String) -> Int64? {
        guard let bytes = try? Files.read(path, limitBytes: 1 << 16) else { return nil }
        let text = String(decoding: bytes, as: UTF8.self)
        guard word.isEmpty || text.contains(word) else { return nil }
        let rest = word.isEmpty ? text[...] : text.split(separator: word, maxSplits: 1).last ?? ""
        let digits = rest.drop { $0.isWhitespace }.prefix { $0.isNumber }
        return Int64(digits)
    }
}
