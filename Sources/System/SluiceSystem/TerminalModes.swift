import SluiceC

/// The input modes of a terminal: echo, line editing, signal keys.
package struct TerminalModes: Sendable {
    var modes: csys_terminal_modes

    /// The modes that a terminal has now.
    package init(of descriptor: Int32) throws(SystemError) {
        modes = csys_terminal_modes()
        guard csys_terminal_read_modes(descriptor, &modes) == 0 else { throw .last(.terminal) }
    }

    /// The same modes, but each key comes as it is: no echo, no lines, no signals.
    package var raw: TerminalModes {
        var copy = self
        csys_terminal_make_raw(&copy.modes)
        return copy
    }

    /// Gives a terminal these modes after its output has gone out.
    package func apply(to descriptor: Int32) throws(SystemError) {
        var copy = modes
        guard csys_terminal_write_modes(descriptor, &copy) == 0 else { throw .last(.terminal) }
    }
}
