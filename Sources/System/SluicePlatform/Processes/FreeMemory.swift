import Glibc

/// How much memory this process may still take.
package enum FreeMemory {
    /// In bytes: the least of what its own limit (`ulimit -v`) leaves and of what the system has
    /// available. Nil where neither is told. The limit of a control group is not looked at: what
    /// the group uses includes the cache of the files that are read.
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

    /// The first number behind a word of a file; nil where it has none.
    private static func number(in path: String, behind word: String) -> Int64? {
        guard let bytes = try? Files.read(path, limitBytes: 1 << 16) else { return nil }
        let text = String(decoding: bytes, as: UTF8.self)
        guard word.isEmpty || text.contains(word) else { return nil }
        let rest = word.isEmpty ? text[...] : text.split(separator: word, maxSplits: 1).last ?? ""
        let digits = rest.drop { $0.isWhitespace }.prefix { $0.isNumber }
        return Int64(digits)
    }
}
