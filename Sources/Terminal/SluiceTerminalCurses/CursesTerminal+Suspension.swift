import SluiceCCurses
import SluicePlatform
import SluiceTerminalUI

extension CursesTerminal {
    /// Lends the terminal to another program, such as an editor, while the body runs.
    ///
    /// Afterwards the screen is repainted in full, possibly at another size.
    package func lent<Value, Failure: Error>(
        _ body: () throws(Failure) -> Value
    ) throws(Failure) -> Value {
        leave()
        defer { comeBack() }
        return try body()
    }

    /// Stops the process as Ctrl-Z does, and takes the terminal again on resume (K8).
    func suspend() {
        leave()
        ccur_stop_group()
        comeBack()
    }

    /// Takes the terminal again after something else had it; the next picture is painted whole.
    func comeBack() {
        ccur_enter()
        write(TerminalControl.plain)
        setModes()
        _ = updateSize()
        forgetScreen()
    }

    /// Takes over the size of the terminal; returns it when it is another one.
    func updateSize() -> Size? {
        guard let found = Self.measure(output), found != size else { return nil }
        size = found
        ccur_resize(Int32(clamping: found.height), Int32(clamping: found.width))
        forgetScreen()
        return found
    }

    private func leave() {
        awaitAnswers()
        write(TerminalControl.modesOff)
        ccur_leave()
        write(Self.shownCursor)
        CrashGuard.disarm()
    }
}
