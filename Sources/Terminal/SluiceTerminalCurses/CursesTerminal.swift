import SluiceC
import SluiceCCurses
package import SluiceSystem
package import SluiceTerminalUI

/// The terminal of this process as a screen of cells, drawn by the curses library.
///
/// One thread makes and uses it; there is one a process. Until `close` it owns the terminal's
/// modes, and a crash gives them back (K8).
package final class CursesTerminal {
    /// The theme: the person's, or the one for the ground as far as it is known.
    package private(set) var theme: Theme
    /// The colours in use.
    package let depth: ColorDepth
    /// The size of the screen, as it was last taken over.
    package internal(set) var size: Size

    let input: FileDescriptor
    let output: FileDescriptor
    /// The signals that the terminal's loop takes.
    package let inbox: SignalInbox
    let usesMouse: Bool
    private let isInScreen: Bool
    private var styles: StyleTable
    private let changes: ThemeChanges
    private let shellModes: TerminalModes
    private var shown: CellBuffer?
    private var isOpen = true
    /// The unanswered queries to the terminal: its background, and the emoji that it joins.
    private var asksGround = false
    private var askedJoins: PictureJoins = []
    private var isAsking: Bool { asksGround || !askedJoins.isEmpty }
    /// The bytes received so far. Also handles the end of an answer that the loop began to read.
    lazy var typed = TimedInput(makeDecoder())
    /// Whether an answer may still come. A terminal that has not answered by then does not know the
    /// question.
    var awaitsAnswer: Bool { isAsking && SystemClock.monotonicMilliseconds() < answersUntil }
    private var answersUntil: Int64 { asked + 10_000 }
    private let asked = SystemClock.monotonicMilliseconds()
    private var hasAnswered = false

    /// Opens the screen.
    ///
    /// Asks for the ground when no theme is given; the first pictures do not wait for the answer.
    package init(
        options: TerminalOptions = TerminalOptions(), inputDescriptor: Int32 = 0,
        outputDescriptor: Int32 = 1
    ) throws(TerminalError) {
        guard csys_set_locale() == 1, let name = options.terminal, !name.isEmpty else {
            throw .unnamedTerminal
        }
        do {
            shellModes = try TerminalModes(of: inputDescriptor)
            _ = try TerminalModes(of: outputDescriptor)
        } catch { throw .notATerminal }
        do {
            input = try Self.copy(inputDescriptor)
            output = try Self.copy(outputDescriptor)
            // Before the library's own handlers, which would act within a signal.
            inbox = try SignalInbox([
                .windowChange, .terminalStop, .resume, .terminate, .interrupt, .hangUp, .quit,
            ])
        } catch { throw .system(error) }
        try Self.open(name, input, output)
        theme =
            options.theme ?? options.changes.base
            ?? options.colorForegroundBackground.flatMap(Theme.init(colorForegroundBackground:))
            ?? .dark
        depth = options.depth(colors: Int(ccur_colors()))
        changes = options.changes
        styles = StyleTable(theme: theme, changes: options.changes, depth: depth)
        // While a program reads the mouse, GNU screen keeps Escape until the next key.
        usesMouse = options.mouse && !options.isInScreen
        isInScreen = options.isInScreen
        size = Self.measure(output) ?? Size(width: 80, height: 24)
        setModes()
        if options.asksBackground {
            write(TerminalControl.askBackground)
            asksGround = true
        }
        if options.asksJoins {
            write(TerminalControl.askJoins)
            askedJoins = [.parts, .tones]
        }
    }

    deinit {
        close()
    }

    /// Gives the terminal back as it was; a second call does nothing.
    package func close() {
        guard isOpen else { return }
        isOpen = false
        awaitAnswers()
        let cursor = Self.shownCursor
        write(TerminalControl.modesOff)
        ccur_close()
        write(cursor)
        CrashGuard.disarm()
    }

    /// Shows a picture, and sends only the differences from the former one.
    ///
    /// The cursor is hidden unless `cursor` has a place.
    package func draw(_ buffer: CellBuffer, cursor: Point? = nil) {
        guard isOpen else { return }
        for y in 0..<buffer.size.height {
            if let changed = buffer.columns(row: y, since: shown) { put(buffer, changed, y: y) }
        }
        shown = buffer
        ccur_show(Int32(clamping: cursor?.y ?? -1), Int32(clamping: cursor?.x ?? 0))
    }

    /// Shows a part of a picture first, if a picture of its size is on the screen.
    package func draw(_ part: Rect, of buffer: CellBuffer) {
        guard isOpen, let former = shown, former.size == buffer.size else { return }
        let area = part.intersection(buffer.bounds)
        var hasChanged = false
        for y in area.y..<area.maxY {
            let changed = buffer.columns(row: y, since: former)?.clamped(to: area.x..<area.maxX)
            guard let changed, !changed.isEmpty else { continue }
            put(buffer, changed, y: y)
            hasChanged = true
        }
        guard hasChanged else { return }
        shown?.takeOver(area, of: buffer)
        ccur_show(-1, 0)
    }

    /// The picture as an SVG image, in the colours of this screen.
    package func svg(of buffer: CellBuffer) -> String {
        buffer.svg(theme: theme == .dark ? .dark : .light) { cell in
            changes.style(
                cell.role, background: cell.background, emphasis: cell.emphasis, of: theme,
                depth: depth)
        }
    }

    /// Discards the known screen content, so that the next draw repaints everything.
    package func forgetScreen() {
        shown = nil
        ccur_forget()
    }

    /// Forgets how the cells looked, so that each is drawn in its colours again.
    private func forgetPicture() { shown = nil }

    /// Rings the bell, and shows a text on the person's desktop if the terminal can.
    package func notify(_ text: String) {
        write(TerminalControl.bell + TerminalControl.notice(text, throughScreen: isInScreen))
    }

    /// Copies a text to the terminal's clipboard (OSC 52). Returns false if it is too long.
    ///
    /// The terminal may ignore it without notice.
    package func copyToClipboard(_ text: String) -> Bool {
        guard let bytes = TerminalControl.copy(text, throughScreen: isInScreen) else {
            return false
        }
        write(bytes)
        return true
    }

    func makeDecoder() -> InputDecoder {
        InputDecoder(sequences: KeySequences.read())
    }

    /// Takes over the theme that fits the terminal's answer; true if it changes.
    func learn(_ found: Theme) -> Bool {
        guard asksGround else { return false }
        (asksGround, hasAnswered) = (false, true)
        guard found != theme else { return false }
        theme = found
        styles = StyleTable(theme: theme, changes: changes, depth: depth)
        forgetPicture()
        return true
    }

    /// Which pictures the terminal draws as one, by an answer of it.
    func learn(cursor: Point) -> PictureJoins {
        guard let answer = TerminalControl.joins(cursor), askedJoins.contains(answer.kind)
        else { return [] }
        askedJoins.subtract(answer.kind)
        hasAnswered = true
        return answer.isJoined ? answer.kind : []
    }

    /// Waits for pending answers and discards them. The next program would read them as keys.
    func awaitAnswers() {
        guard awaitsAnswer else { return (asksGround, askedJoins) = (false, []) }
        defer { (asksGround, askedJoins) = (false, []) }
        typed.awaitsAnswer = true
        let begin = SystemClock.monotonicMilliseconds()
        while isAsking {
            let wait = AnswerWait(asked: asked, now: begin, hasAnswered: hasAnswered)
            let left = Int(
                wait.left(
                    now: SystemClock.monotonicMilliseconds(),
                    isUnderWay: typed.deadline != nil))
            let interest = PollInterest(input.number)
            guard left > 0,
                let ready = try? Poll.wait(fds: [interest], timeoutMilliseconds: left),
                !ready.isEmpty, case .bytes(let bytes)? = try? input.read(atMost: 4096)
            else { break }
            for event in typed.feed(bytes, at: SystemClock.monotonicNanoseconds()) {
                switch event {
                case .ground: (asksGround, hasAnswered) = (false, true)
                case .cursor(let place): _ = learn(cursor: place)
                default: break
                }
            }
        }
        ccur_discard_input(input.number)
    }

    /// Turns on what the library does not, and arms the guard that turns it off in a crash.
    func setModes() {
        let leave = ["rmkx", "sgr0", "op", "rmcup", "cnorm"].flatMap(KeySequences.string)
        // Without the guard a crash leaves a raw terminal, which is no reason not to start.
        try? CrashGuard.arm(
            TerminalControl.modesOff + leave, to: output.number, modes: shellModes)
        write(TerminalControl.modesOn(mouse: usesMouse))
    }

    /// Shows the cursor. Sent once more after the screen was left: some terminals keep the cursor's
    /// look with its saved place, which the library overwrites when it scrolls.
    static var shownCursor: [UInt8] { KeySequences.string("cnorm") }

    func write(_ bytes: [UInt8]) {
        // A closed terminal reports end of input to the reader.
        try? output.writeAll(bytes)
    }

    static func measure(_ output: FileDescriptor) -> Size? {
        guard let found = try? TerminalSize(of: output.number), found.columns > 0, found.rows > 0
        else { return nil }
        return Size(width: found.columns, height: found.rows)
    }

    private func put(_ buffer: CellBuffer, _ columns: Range<Int>, y: Int) {
        let row = buffer[row: y]
        let cells = row.dropFirst(columns.lowerBound).prefix(columns.count).map {
            ccur_cell(scalars: $0.scalars, style: styles[$0])
        }
        ccur_put(Int32(clamping: y), Int32(clamping: columns.lowerBound), cells, cells.count)
    }

    private static func copy(_ number: Int32) throws(SystemError) -> FileDescriptor {
        let copy = csys_duplicate_above(number, 3)
        guard copy >= 0 else { throw SystemError(.open, reason: .code(0)) }
        return FileDescriptor(owning: copy)
    }

    private static func open(
        _ name: String, _ input: FileDescriptor, _ output: FileDescriptor
    ) throws(TerminalError) {
        switch ccur_open(name, input.number, output.number) {
        case .opened: return
        case .already_open: throw .alreadyOpen
        case .unknown_terminal: throw .unknownTerminal(name)
        case .plain_terminal: throw .plainTerminal(name)
        case .refused: throw .refused(name)
        }
    }
}

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
