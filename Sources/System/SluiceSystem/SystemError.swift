import Glibc

/// A failed call to the operating system.
package struct SystemError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The operation; its raw value is a verb phrase for the sentence.
    package enum Operation: String, Equatable, Sendable {
        /// Opening a file or device.
        case open
        case read
        case write
        /// Bringing written data to the disk.
        case sync = "write to disk"
        /// Giving a file another name.
        case rename
        /// Removing a file or folder.
        case remove
        case makeDirectory = "make the folder"
        case list = "list the folder"
        /// Asking for a file's size, kind and mode.
        case status = "look at"
        case resolve
        case lock
        /// Watching a folder or file for changes.
        case watch
        case poll = "wait for input"
        case connect = "connect to"
        case listen = "listen at"
        case accept = "take a connection"
        case pipe = "make a pipe"
        case event = "make an event descriptor"
        case signal = "handle the signal"
        case kill = "send a signal to"
        /// Starting a program.
        case spawn = "run"
        /// Entering the working folder of a program.
        case changeDirectory = "enter the folder"
        case reap = "ask for the end of"
        case thread = "start the thread"
        /// Reading or setting a terminal's modes or size.
        case terminal = "set up the terminal"
    }

    /// Why it failed.
    package enum Reason: Equatable, Sendable {
        /// The system's error number.
        case code(Int32)
        /// No program of that name is in the folders of PATH.
        case notInPath
        /// More bytes than the caller allowed.
        case largerThan(bytes: Int)
        /// A named pipe, which may never get a writer.
        case namedPipe
        /// A device, which perhaps never ends.
        case device
        /// A link, or a folder that other users may enter.
        case notPrivate
        /// A text that must not hold a zero byte does.
        case zeroByte
        /// The name of a machine is not known, or no address of it answers.
        case noAnswer
    }

    package let operation: Operation
    /// The file, folder or program of the operation.
    package let path: String?
    /// Why it failed.
    package let reason: Reason

    /// Makes an error from its parts.
    package init(_ operation: Operation, path: String? = nil, reason: Reason) {
        self.operation = operation
        self.path = path
        self.reason = reason
    }

    /// Makes an error from the error number that the last call left in this thread.
    static func last(_ operation: Operation, path: String? = nil) -> SystemError {
        SystemError(operation, path: path, reason: .code(errno))
    }

    /// The system's error number, where it was the system that refused.
    package var errorNumber: Int32? {
        if case .code(let number) = reason { number } else { nil }
    }

    /// Whether the file or folder (or a folder on the way to it) does not exist.
    package var isMissing: Bool { errorNumber == ENOENT || errorNumber == ENOTDIR }

    /// Whether the disk, or what its user may use of it, is full.
    package var isFull: Bool { errorNumber == ENOSPC || errorNumber == EDQUOT }
    /// Whether the system, or this user's limit, has no more of the resource.
    package var isExhausted: Bool {
        [EMFILE, ENFILE, ENOSPC, ENOMEM].contains(errorNumber)
    }

    /// Whether this process or its machine lacks what any program needs: descriptors, memory,
    /// processes, or room on the disk.
    package var isShortage: Bool {
        isExhausted || isFull || errorNumber == EAGAIN || errorNumber == ENOBUFS
    }

    /// Whether this user may not do it.
    package var isDenied: Bool { errorNumber == EACCES || errorNumber == EPERM }

    /// Whether the reader of a pipe has closed it.
    package var isBrokenPipe: Bool { errorNumber == EPIPE }

    /// Whether something has the name already.
    package var isTaken: Bool { errorNumber == EEXIST }

    /// Whether a folder exists in place of a file, or a file in place of a folder.
    package var isWrongKind: Bool { errorNumber == EISDIR || errorNumber == ENOTDIR }

    /// Whether a path would have led out of the folder that it must stay in, or in a circle.
    package var leadsOut: Bool { errorNumber == EXDEV || errorNumber == ELOOP }

    /// Whether more arrived than the system could buffer.
    package var isOverflow: Bool { errorNumber == ENOBUFS }

    /// Whether the name is longer than the file system allows.
    package var isNameTooLong: Bool { errorNumber == ENAMETOOLONG }

    /// Whether the other side broke the connection.
    package var isResetByPeer: Bool { errorNumber == ECONNRESET }

    /// One sentence for people: what could not be done, on what, and why.
    package var sentence: String {
        let what = path.map { "\(operation.rawValue) \($0)" } ?? operation.rawValue
        return "cannot \(what): \(why)"
    }

    package var description: String { sentence }

    private var why: String {
        switch reason {
        case .code(let number): Self.text(of: number)
        case .namedPipe: "it is a named pipe"
        case .device: "it is a device"
        case .notPrivate: "it is no folder of this user alone (mode 0700, no link)"
        case .notInPath: "no such program in the folders of PATH; give its full path or extend PATH"
        case .largerThan(let bytes): "it has more than the allowed \(bytes) bytes"
        case .zeroByte: "the text holds a zero byte, which the system cannot pass on"
        case .noAnswer: "nothing answers there"
        }
    }

    /// The system's words for an error number, without a capital at the start.
    package static func text(of number: Int32) -> String {
        var buffer = [CChar](repeating: 0, count: 256)
        guard strerror_r(number, &buffer, buffer.count) == 0 else { return "error \(number)" }
        let bytes = buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        let text = String(decoding: bytes, as: UTF8.self)
        return text.prefix(1).lowercased() + text.dropFirst() + " (error \(number))"
    }
}
