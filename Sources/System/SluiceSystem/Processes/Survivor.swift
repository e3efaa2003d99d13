import Glibc
import SluiceC

/// A process that continues in the group of an ended child.
package struct Survivor: Sendable {
    package let processID: Int32
    /// Its program's name as the kernel keeps it, at most 15 bytes.
    package let name: String
    /// Readable once it has ended.
    package let pidfd: FileDescriptor

    /// The process with that number, if it is running in that group.
    fileprivate init?(_ processID: Int32, in group: Int32) {
        guard Self.goesOn(processID, in: group) else { return nil }
        let number = csys_pidfd_open(processID)
        guard number >= 0 else { return nil }
        pidfd = FileDescriptor(owning: number)
        // The pidfd is open, so the following reads concern its process or none.
        guard Self.goesOn(processID, in: group) else { return nil }
        self.processID = processID
        let bytes = (try? Files.read("/proc/\(processID)/comm", limitBytes: 64)) ?? []
        name = String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
    }

    /// Sends it a signal; false when it has ended.
    @discardableResult
    package func signal(_ signal: Signal) throws(SystemError) -> Bool {
        if csys_pidfd_send_signal(pidfd.number, signal.rawValue) == 0 { return true }
        if errno == ESRCH { return false }
        throw .last(.kill, path: "process \(processID)")
    }

    private static func goesOn(_ processID: Int32, in group: Int32) -> Bool {
        guard let line = ProcessIdentity.status(of: processID), line.count > 2 else { return false }
        return !ProcessIdentity.isOver(line) && line[2].elementsEqual("\(group)".utf8)
    }
}

extension ChildProcess {
    /// The running processes of the child's group after the child ended and was reaped; empty for a
    /// child in this process's own group.
    ///
    /// A process started by one of these appears in a later call.
    package func survivors() throws(SystemError) -> [Survivor] {
        guard leadsGroup else { return [] }
        // Without a member the group's number is free, so skip the search.
        if csys_pidfd_signal_group(pidfd.number, processID, 0) != 0, errno == ESRCH { return [] }
        let numbers = try Files.list("/proc").compactMap { Int32($0) }
        // A process that has the child's number came after the group was empty, and the group that
        // is there now is its own.
        guard !numbers.contains(processID) else { return [] }
        return numbers.compactMap { Survivor($0, in: processID) }
    }
}
