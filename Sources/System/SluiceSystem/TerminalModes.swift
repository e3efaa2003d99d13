import SluiceC

/// The input modes of a terminal: echo, line editing, signal keys.
package struct TerminalModes: Sendable {
    var modes: csys_terminal_modes

    package init(of descriptor: Int32) throws(SystemError) {
        modes = csys_terminal_modes()
        guard csys_terminal_read_modes(descriptor, &modes) == 0 else { throw .last(.terminal) }
    }
}
