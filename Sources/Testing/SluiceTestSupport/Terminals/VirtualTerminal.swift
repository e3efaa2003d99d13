#if canImport(SluiceCVTerm)
import SluiceCVTerm
import SluiceTerminalUI

/// A terminal in memory. It interprets a program's output and encodes keys.
///
/// It has at least two columns, even if the program sees fewer. libvterm 0.1.4 crashes if a wide
/// character meets the right edge of a single column.
final class VirtualTerminal {
    private let terminal: OpaquePointer
    private let screen: OpaquePointer
    private let answers = TerminalAnswers()
    private let callbacks: UnsafeMutablePointer<VTermScreenCallbacks>
    private var joiner: PictureJoiner?

    init(
        columns: Int, rows: Int, joinsPictures: Bool = false, hasSecondScreen: Bool = true
    ) {
        joiner = joinsPictures ? PictureJoiner() : nil
        terminal = vterm_new(Int32(rows), Int32(max(2, columns)))
        screen = vterm_obtain_screen(terminal)
        callbacks = .allocate(capacity: 1)
        callbacks.initialize(to: VTermScreenCallbacks())
        vterm_set_utf8(terminal, 1)
        let context = Unmanaged.passUnretained(answers).toOpaque()
        vterm_output_set_callback(
            terminal,
            { bytes, count, context in
                guard let bytes, let context else { return }
                let answers = Unmanaged<TerminalAnswers>.fromOpaque(context).takeUnretainedValue()
                let raw = UnsafeRawBufferPointer(start: bytes, count: count)
                answers.output += raw
            }, context)
        callbacks.pointee.settermprop = { property, value, context in
            guard let value, let context else { return 0 }
            let answers = Unmanaged<TerminalAnswers>.fromOpaque(context).takeUnretainedValue()
            answers.set(property, value)
            return 1
        }
        callbacks.pointee.bell = { context in
            guard let context else { return 0 }
            Unmanaged<TerminalAnswers>.fromOpaque(context).takeUnretainedValue().bells += 1
            return 1
        }
        vterm_screen_set_callbacks(screen, callbacks, context)
        vterm_screen_enable_altscreen(screen, hasSecondScreen ? 1 : 0)
        vterm_screen_reset(screen, 1)
    }

    deinit {
        vterm_free(terminal)
        callbacks.deallocate()
    }

    /// How often the bell rang.
    var bells: Int { answers.bells }

    /// Whether the program wants to know what the mouse does.
    var wantsMouse: Bool { answers.wantsMouse }

    func feed(_ bytes: [UInt8]) {
        (joiner?.take(bytes) ?? bytes).withUnsafeBytes { raw in
            let text = raw.assumingMemoryBound(to: CChar.self)
            _ = vterm_input_write(terminal, text.baseAddress, text.count)
        }
    }

    /// The terminal's output since the last call: keys, mouse, answers.
    func drainOutput() -> [UInt8] {
        defer { answers.output = [] }
        return answers.output
    }

    /// Resizes the screen, and resets its margins as xterm does.
    ///
    /// After a shrink, libvterm 0.1.4 can leave the cursor above the first row and a margin below
    /// the last row. Later writes and scrolls then corrupt memory.
    func resize(columns: Int, rows: Int) {
        vterm_set_size(terminal, Int32(rows), Int32(max(2, columns)))
        let cursor = cursor
        feed(Array("\u{1b}[r\u{1b}[\(max(0, cursor.row) + 1);\(max(0, cursor.col) + 1)H".utf8))
    }

    private var cursor: VTermPos {
        var cursor = VTermPos()
        vterm_state_get_cursorpos(vterm_obtain_state(terminal), &cursor)
        return cursor
    }

    func press(_ key: VTermKey, _ modifier: VTermModifier = VTERM_MOD_NONE) {
        vterm_keyboard_key(terminal, key, modifier)
    }

    func paste(_ send: () -> Void) {
        vterm_keyboard_start_paste(terminal)
        send()
        vterm_keyboard_end_paste(terminal)
    }

    func type(_ scalar: Unicode.Scalar, _ modifier: VTermModifier = VTERM_MOD_NONE) {
        vterm_keyboard_unichar(terminal, scalar.value, modifier)
    }

    func mouse(_ action: MouseAction, column: Int, row: Int) {
        vterm_mouse_move(terminal, Int32(row), Int32(column), VTERM_MOD_NONE)
        switch action {
        case .press(let button): vterm_mouse_button(terminal, Int32(button), true, VTERM_MOD_NONE)
        case .release(let button):
            vterm_mouse_button(terminal, Int32(button), false, VTERM_MOD_NONE)
        case .wheelUp: vterm_mouse_button(terminal, 4, true, VTERM_MOD_NONE)
        case .wheelDown: vterm_mouse_button(terminal, 5, true, VTERM_MOD_NONE)
        case .move: break
        }
    }

    func picture() -> ScreenPicture {
        var rows: Int32 = 0
        var columns: Int32 = 0
        vterm_get_size(terminal, &rows, &columns)
        let cursor = cursor
        let cells = (0..<rows).map { row in
            (0..<columns).map { column in
                ScreenCell(cvterm_cell_at(screen, row, column))
            }
        }
        return ScreenPicture(
            columns: Int(columns), rows: cells,
            cursor: ScreenPicture.Position(column: Int(cursor.col), row: Int(cursor.row)),
            isCursorVisible: answers.isCursorVisible, isAlternate: answers.isAlternate)
    }
}

/// The callbacks of libvterm.
private final class TerminalAnswers {
    var output: [UInt8] = []
    var isCursorVisible = true
    var isAlternate = false
    var wantsMouse = false
    var bells = 0

    func set(_ property: VTermProp, _ value: UnsafeMutablePointer<VTermValue>) {
        switch property {
        case VTERM_PROP_CURSORVISIBLE: isCursorVisible = cvterm_value_boolean(value) != 0
        case VTERM_PROP_ALTSCREEN: isAlternate = cvterm_value_boolean(value) != 0
        case VTERM_PROP_MOUSE: wantsMouse = cvterm_value_number(value) != 0
        default: break
        }
    }
}

extension ScreenCell {
    fileprivate init(_ cell: cvterm_cell) {
        var style = ScreenStyle()
        style.foreground = ScreenColor(cell.foreground)
        style.background = ScreenColor(cell.background)
        style.bold = cell.bold
        style.italic = cell.italic
        style.underline = cell.underline
        style.reverse = cell.reverse
        style.strike = cell.strike
        var text = ""
        withUnsafeBytes(of: cell.scalars) { raw in
            for value in raw.bindMemory(to: UInt32.self).prefix(Int(cell.scalar_count)) {
                text.unicodeScalars.append(Unicode.Scalar(value) ?? "\u{FFFD}")
            }
        }
        if text.isEmpty && cell.width > 0 { text = " " }
        self.init(text: text, width: Int(cell.width), style: style)
    }
}

extension ScreenColor {
    fileprivate init(_ color: cvterm_color) {
        self =
            switch color.kind {
            case .default: .standard
            case .indexed: .indexed(color.index)
            case .rgb: .rgb(red: color.red, green: color.green, blue: color.blue)
            }
    }
}
#endif
