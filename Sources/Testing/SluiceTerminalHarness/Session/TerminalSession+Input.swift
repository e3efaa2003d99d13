#if canImport(SluiceCVTerm)
import SluiceCVTerm
import SluicePlatform

extension TerminalSession {
    /// Types a text, its bytes as they are.
    package func send(_ text: String) throws {
        try transmit(Array(text.utf8))
    }

    /// Sends bytes as they are.
    package func send(_ bytes: [UInt8]) throws {
        try transmit(bytes)
    }

    /// Presses keys, in the form that the program asked the terminal for.
    package func keys(_ keys: TerminalKey...) throws {
        for key in keys { try self.key(key) }
    }

    /// Presses a key, in the form that the program asked the terminal for.
    package func key(_ key: TerminalKey) throws {
        try update()
        switch key {
        case .up: terminal.press(VTERM_KEY_UP)
        case .down: terminal.press(VTERM_KEY_DOWN)
        case .left: terminal.press(VTERM_KEY_LEFT)
        case .right: terminal.press(VTERM_KEY_RIGHT)
        case .enter: terminal.press(VTERM_KEY_ENTER)
        case .escape: terminal.press(VTERM_KEY_ESCAPE)
        case .tab: terminal.press(VTERM_KEY_TAB)
        case .backTab: terminal.press(VTERM_KEY_TAB, VTERM_MOD_SHIFT)
        case .backspace: terminal.press(VTERM_KEY_BACKSPACE)
        case .delete: terminal.press(VTERM_KEY_DEL)
        case .insert: terminal.press(VTERM_KEY_INS)
        case .home: terminal.press(VTERM_KEY_HOME)
        case .end: terminal.press(VTERM_KEY_END)
        case .pageUp: terminal.press(VTERM_KEY_PAGEUP)
        case .pageDown: terminal.press(VTERM_KEY_PAGEDOWN)
        case .function(let number): terminal.press(cvterm_function_key(Int32(number)))
        case .char(let character): try transmit(Array(String(character).utf8))
        case .control(let character): try transmit([(character.asciiValue ?? 0) & 0x1f])
        case .alt(let character): try transmit([0x1b] + Array(String(character).utf8))
        }
        try transmit(terminal.drainOutput())
    }

    /// Pastes a text, bracketed if the program enabled that.
    package func paste(_ text: String) throws {
        try update()
        terminal.paste {
            for scalar in text.unicodeScalars { terminal.type(scalar) }
        }
        try transmit(terminal.drainOutput())
    }

    /// Performs a mouse action. The program receives it only if it enabled the mouse.
    package func mouse(_ action: MouseAction, column: Int, row: Int) throws {
        try update()
        terminal.mouse(action, column: column, row: row)
        try transmit(terminal.drainOutput())
    }

    /// Presses and releases a mouse button: 1 left, 2 middle, 3 right.
    package func click(column: Int, row: Int, button: Int = 1) throws {
        try mouse(.press(button), column: column, row: row)
        try mouse(.release(button), column: column, row: row)
    }

    /// Clicks on the first character of a text that is on the screen now.
    package func click(onText text: String) throws {
        guard let place = try screen.position(of: text) else {
            throw HarnessError.timedOut("the text \"\(text)\"", seconds: 0, screen: current)
        }
        try click(column: place.column, row: place.row)
    }
}
#endif
