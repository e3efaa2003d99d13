import Glibc
import SluiceC

/// The user, machine and environment of this process.
package enum ProcessIdentity {
    package static var processID: Int32 { getpid() }

    /// The kernel's name of this run of the machine; process numbers mean nothing across boots.
    package static func bootID() throws(SystemError) -> String { try boot.get() }

    /// Read once: it never changes while a process lives.
    private static let boot: Result<String, SystemError> = Result { () throws(SystemError) in
        let bytes = try Files.read("/proc/sys/kernel/random/boot_id", limitBytes: 256)
        return String(decoding: bytes.prefix { $0 > 32 }, as: UTF8.self)
    }

    /// The boot, and in a container the space of its process numbers: where two processes have the
    /// same word here, a number means the same process to both.
    package static func numberSpace() throws(SystemError) -> String { try space.get() }

    private static let space: Result<String, SystemError> = Result { () throws(SystemError) in
        let boot = try bootID()
        guard let name = try? Files.readLink("/proc/self/ns/pid"),
            name != firstNumberSpace
        else { return boot }
        return "\(boot)/\(name.filter(\.isNumber))"
    }

    /// The kernel's name of the space of the machine itself.
    private static let firstNumberSpace = "pid:[4026531836]"

    /// Whether two words of `numberSpace` are of one boot.
    package static func isSameBoot(_ one: String, _ other: String) -> Bool {
        one.prefix { $0 != "/" } == other.prefix { $0 != "/" }
    }

    /// The visible state of a process in this number space.
    package enum Presence: Hashable, Sendable {
        case there
        case gone
        /// This user may not see which process has the number now.
        case unseen
    }

    /// Whether the process of that number is there; with `startTime` the one that started then.
    package static func presence(of processID: Int32, startTime: UInt64?) -> Presence {
        guard processID > 0, isTaken(processID) else { return .gone }
        guard let line = status(of: processID), line.count > 19 else {
            // It may have ended since.
            return isTaken(processID) ? .unseen : .gone
        }
        if isOver(line) { return .gone }
        guard let startTime else { return .there }
        return line[19].elementsEqual("\(startTime)".utf8) ? .there : .gone
    }

    /// Whether a process has that number: the kernel says so to everybody, also where /proc hides
    /// the processes of others.
    private static func isTaken(_ processID: Int32) -> Bool {
        Glibc.kill(processID, 0) == 0 || errno != ESRCH
    }

    /// The start time of a process in clock ticks since boot; `nil` if there is no such process.
    ///
    /// Process number and start time together identify a process uniquely.
    package static func startTime(of processID: Int32) -> UInt64? {
        guard let fields = status(of: processID), fields.count > 19 else { return nil }
        return UInt64(String(decoding: fields[19], as: UTF8.self))
    }

    /// Whether the process with that number is running; with `startTime`, only the one started
    /// then.
    package static func goesOn(_ processID: Int32, startTime: UInt64?) -> Bool {
        presence(of: processID, startTime: startTime) == .there
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

    package static var hostName: String {
        var buffer = [CChar](repeating: 0, count: 256)
        guard gethostname(&buffer, buffer.count - 1) == 0 else { return "localhost" }
        return text(buffer)
    }

    /// The name of the user this process acts for; the number if it has no name.
    package static var userName: String { userName(of: geteuid()) }

    /// The name of a user by the number; the number if there is no name.
    package static func userName(of number: UInt32) -> String {
        var entry = passwd()
        var found: UnsafeMutablePointer<passwd>?
        var buffer = [CChar](repeating: 0, count: 16384)
        let code = getpwuid_r(number, &entry, &buffer, buffer.count, &found)
        guard code == 0, found != nil, let name = entry.pw_name else { return "\(number)" }
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

    package static func isTerminal(_ descriptor: Int32) -> Bool {
        isatty(descriptor) == 1
    }

    /// Whether a descriptor is the terminal of this process, and another group has it now: this
    /// process is in the background of a shell.
    package static func isInBackground(of descriptor: Int32) -> Bool {
        guard isTerminal(descriptor) else { return false }
        let foreground = tcgetpgrp(descriptor)
        return foreground > 0 && foreground != getpgrp()
    }

    private static func text(_ buffer: [CChar]) -> String {
        String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}

/// Who holds a lock.
extension ProcessIdentity {
    /// The leader of a process group that inherited a lock and still holds it. Excludes session
    /// leaders: such a process left its initial group.
    ///
    /// A process that only waits for the lock also has its file open, but does not hold it.
    package static func groupLeader(
        holding lock: String
    ) -> (processID: Int32, startTime: UInt64)? {
        guard let identity = (try? Files.status(lock))?.identity else { return nil }
        for name in (try? Files.list("/proc")) ?? [] {
            guard let processID = Int32(name), processID > 1,
                let line = status(of: processID), line.count > 19, !isOver(line),
                line[2].elementsEqual(name.utf8), !line[3].elementsEqual(name.utf8),
                holds(processID, identity),
                let startTime = UInt64(String(decoding: line[19], as: UTF8.self))
            else { continue }
            return (processID, startTime)
        }
        return nil
    }

    private static func holds(_ processID: Int32, _ identity: FileStatus.Identity) -> Bool {
        let folder = "/proc/\(processID)"
        return ((try? Files.list("\(folder)/fd")) ?? []).contains { number in
            guard (try? Files.status("\(folder)/fd/\(number)"))?.identity == identity,
                let info = try? Files.read("\(folder)/fdinfo/\(number)", limitBytes: 4096)
            else { return false }
            return String(decoding: info, as: UTF8.self).contains("FLOCK")
        }
    }
}
