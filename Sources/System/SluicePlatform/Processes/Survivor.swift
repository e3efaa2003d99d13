import Glibc
import SluiceCSystem

/// A process that goes on in the group of a child that has ended.
package struct Survivor: Sendable {
    /// Its number.
    package let processID: Int32
    /// Its program's name as the kernel keeps it, at most 15 bytes.
    package let name: String
    /// Readable once it has ended.
    package let pidfd: FileDescriptor

    /// The process of that number, if it goes on in that group.
    fileprivate init?(_ processID: Int32, in group: Int32) {
        guard Self.goesOn(processID, in: group) else { return nil }
        let number = csys_pidfd_open(processID)
        guard number >= 0 else { return nil }
        pidfd = FileDescriptor(owning: number)
        // The pidfd is open: what is read now is about the process it stands for, or nothing.
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
    /// What goes on of the child's group although the child itself has ended and was reaped; empty
    /// for a child in our own group.
    ///
    /// A process that one of these starts is found when they are asked for again.
    package func survivors() throws(SystemError) -> [Survivor] {
        guard leadsGroup else { return [] }
        // Without a member the group's number is free, and nothing is looked for.
        if csys_pidfd_signal_group(pidfd.number, processID, 0) != 0, errno == ESRCH { return [] }
        let numbers = try Files.list("/proc").compactMap { Int32($0) }
        // A process that has the child's number came after the group was empty, and the group that
        // is there now is its own.
        guard !numbers.contains(processID) else { return [] }
        return numbers.compactMap { Survivor($0, in: processID) }
    }
}
