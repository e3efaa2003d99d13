import Glibc
import SluiceCSystem

/// Who and where this process is.
package enum ProcessIdentity {
    /// The number of this process.
    package static var processID: Int32 { getpid() }

    /// The kernel's name of this run of the machine; process numbers mean nothing across boots.
    package static func bootID() throws(SystemError) -> String { try boot.get() }

    /// Read once: it never changes while a process lives.
    private static let boot: Result<String, SystemError> = Result { () throws(SystemError) in
        let bytes = try Files.read("/proc/sys/kernel/random/boot_id", limitBytes: 256)
        return String(decoding: bytes.prefix { $0 > 32 }, as: UTF8.self)
    }

    /// When a process started, in clock ticks since boot; nil when there is no such process.
    ///
    /// Process number and start time together name a process that no other can be taken for.
    package static func startTime(of processID: Int32) -> UInt64? {
        guard let fields = status(of: processID), fields.count > 19 else { return nil }
        return UInt64(String(decoding: fields[19], as: UTF8.self))
    }

    /// Whether the process of that number goes on; with `startTime` only the one that started then.
    package static func goesOn(_ processID: Int32, startTime: UInt64?) -> Bool {
        guard let line = status(of: processID), line.count > 19, !isOver(line) else { return false }
        guard let startTime else { return true }
        return line[19].elementsEqual("\(startTime)".utf8)
    }

    /// Whether the fields of a process say that it has ended and only its number is left.
    static func isOver(_ line: [ArraySlice<UInt8>]) -> Bool {
        line[0].elementsEqual("Z".utf8) || line[0].elementsEqual("X".utf8)
    }

    /// The fields of a process from its state on.
    static func status(of processID: Int32) -> [ArraySlice<UInt8>]? {
        guard let bytes = try? Files.read("/proc/\(processID)/stat", limitBytes: 4096),
            let end = bytes.lastIndex(of: UInt8(ascii: ")"))
        else { return nil }
        // The name in parentheses may hold anything; field 3 is the first after it.
        return bytes[(end + 1)...].split(separator: UInt8(ascii: " "))
    }

    /// The machine's name.
    package static var hostName: String {
        var buffer = [CChar](repeating: 0, count: 256)
        guard gethostname(&buffer, buffer.count - 1) == 0 else { return "localhost" }
        return text(buffer)
    }

    /// The name of the user this process acts for; the number where it has no name.
    package static var userName: String {
        var entry = passwd()
        var found: UnsafeMutablePointer<passwd>?
        var buffer = [CChar](repeating: 0, count: 16384)
        let code = getpwuid_r(geteuid(), &entry, &buffer, buffer.count, &found)
        guard code == 0, found != nil, let name = entry.pw_name else { return "\(geteuid())" }
        return String(cString: name)
    }

    /// The number of the user this process acts for.
    package static var userID: UInt32 { geteuid() }

    /// One variable of the environment; nil when it is not set.
    package static func environment(_ name: String) -> String? {
        getenv(name).map { String(cString: $0) }
    }

    /// The same as the bytes that it is.
    package static func environmentBytes(_ name: String) -> [UInt8]? {
        getenv(name).map { Array(UnsafeRawBufferPointer(start: $0, count: strlen($0))) }
    }

    /// The whole environment as NAME=VALUE.
    package static func environment() -> [String] {
        var all: [String] = []
        var entry = csys_environment()
        while let text = entry.pointee {
            all.append(String(cString: text))
            entry += 1
        }
        return all
    }

    /// The path of the program that runs.
    package static func executablePath() throws(SystemError) -> String {
        try Files.realPath("/proc/self/exe")
    }

    /// Whether a descriptor is a terminal.
    package static func isTerminal(_ descriptor: Int32) -> Bool {
        isatty(descriptor) == 1
    }

    private static func text(_ buffer: [CChar]) -> String {
        String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
