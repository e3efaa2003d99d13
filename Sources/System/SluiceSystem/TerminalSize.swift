import SluiceC

/// How many columns and rows a terminal has.
package struct TerminalSize: Equatable, Sendable {
    package let columns: Int
    package let rows: Int

    package init(columns: Int, rows: Int) {
        self.columns = columns
        self.rows = rows
    }

    /// The current size of a terminal; 0 by 0 if never set.
    package init(of descriptor: Int32) throws(SystemError) {
        var size = csys_terminal_size()
        guard csys_terminal_read_size(descriptor, &size) == 0 else { throw .last(.terminal) }
        self.init(columns: Int(size.columns), rows: Int(size.rows))
    }

    /// Sets a terminal's size, and notifies its program by WINCH.
    package func apply(to descriptor: Int32) throws(SystemError) {
        let size = csys_terminal_size(
            columns: Int32(clamping: columns), rows: Int32(clamping: rows))
        guard csys_terminal_write_size(descriptor, size) == 0 else { throw .last(.terminal) }
    }
}
