import CSystem

/// How a terminal treats what is typed: echo, line editing, signals by keys.
public struct TerminalModes: Sendable {
    fileprivate var modes: csys_terminal_modes

    /// The modes that a terminal has now.
    public init(of descriptor: Int32) throws(SystemError) {
        modes = csys_terminal_modes()
        guard csys_terminal_read_modes(descriptor, &modes) == 0 else { throw .last(.terminal) }
    }

    /// The same modes, but each key comes as it is: no echo, no lines, no signals.
    public var raw: TerminalModes {
        var copy = self
        csys_terminal_make_raw(&copy.modes)
        return copy
    }

    /// Gives a terminal these modes after its output has gone out.
    public func apply(to descriptor: Int32) throws(SystemError) {
        var copy = modes
        guard csys_terminal_write_modes(descriptor, &copy) == 0 else { throw .last(.terminal) }
    }
}

/// How many columns and rows a terminal has.
public struct TerminalSize: Equatable, Sendable {
    /// The columns.
    public let columns: Int
    /// The rows.
    public let rows: Int

    /// A size.
    public init(columns: Int, rows: Int) {
        self.columns = columns
        self.rows = rows
    }

    /// The size that a terminal has now; 0 by 0 where nobody told it.
    public init(of descriptor: Int32) throws(SystemError) {
        var size = csys_terminal_size()
        guard csys_terminal_read_size(descriptor, &size) == 0 else { throw .last(.terminal) }
        self.init(columns: Int(size.columns), rows: Int(size.rows))
    }

    /// Tells a terminal its size, and by WINCH the program that runs on it.
    public func apply(to descriptor: Int32) throws(SystemError) {
        let size = csys_terminal_size(
            columns: Int32(clamping: columns), rows: Int32(clamping: rows))
        guard csys_terminal_write_size(descriptor, size) == 0 else { throw .last(.terminal) }
    }
}

/// What a crash of this process still does for the terminal it runs on.
public enum CrashGuard {
    /// From now on a crash first writes `bytes` (at most 1024) and sets the modes, then goes on as
    /// it would have, with the Swift runtime's report.
    public static func arm(
        _ bytes: [UInt8], to descriptor: Int32, modes: TerminalModes?
    ) throws(SystemError) {
        let result: Int32
        if var copy = modes?.modes {
            result = csys_crash_arm(descriptor, bytes, bytes.count, descriptor, &copy)
        } else {
            result = csys_crash_arm(descriptor, bytes, bytes.count, descriptor, nil)
        }
        guard result == 0 else { throw .last(.signal, path: "a crash") }
    }

    /// From now on a crash leaves the terminal alone.
    public static func disarm() {
        csys_crash_disarm()
    }
}
