#if canImport(SluiceCVTerm)
import SluiceC
import SluiceCVTerm
import Glibc
package import SluiceSystem

/// A program on a private terminal.
///
/// Reads output only during waits and in `screen`, so it belongs to one thread. Its deinit kills
/// the program.
package final class TerminalSession {
    package let child: ChildProcess
    /// The output so far. Call `update()` first unless a wait does.
    package private(set) var received = ReceivedBytes()

    /// Receives all output with its arrival on the monotonic clock.
    package var onOutput: (([UInt8], UInt64) -> Void)?

    let terminal: VirtualTerminal
    let master: FileDescriptor
    private var unsent: [UInt8] = []
    private var picture: ScreenPicture?
    private(set) var isOver = false

    private static let mostChunksAtOnce = 64

    /// Starts a program on a terminal of a size.
    ///
    /// The environment has PATH, HOME, TMPDIR, build variables, TERM and LANG=C.UTF-8. Entries
    /// NAME=VALUE of `environment` override these. A terminal with `joins` draws 👩‍👩‍👧 and 👍🏽 in
    /// two columns, and its screen contains only their first part. Without a second screen it
    /// ignores the sequences for one, as GNU screen does.
    package init(
        _ program: String, _ arguments: [String] = [], environment: [String] = [],
        directory: String? = nil, columns: Int = 80, rows: Int = 24,
        terminalType: String = "xterm-256color", joinsPictures: Bool = false,
        hasSecondScreen: Bool = true
    ) throws {
        var path = [CChar](repeating: 0, count: 128)
        let number = csys_terminal_open_master(&path, path.count)
        guard number >= 0 else {
            throw SystemError(.terminal, path: "/dev/ptmx", reason: .code(errno))
        }
        master = FileDescriptor(owning: number)
        try master.setNonBlocking(true)
        try TerminalSize(columns: columns, rows: rows).apply(to: number)
        terminal = VirtualTerminal(
            columns: columns, rows: rows, joinsPictures: joinsPictures,
            hasSecondScreen: hasSecondScreen)
        let name = String(
            decoding: path.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        child = try ChildProcess.spawn(
            Spawn(
                program, arguments,
                environment: Self.environment(terminalType, adding: environment),
                directory: directory, group: .session(terminal: name)))
    }

    deinit {
        guard (try? child.reap()) == .some(nil) else { return }
        _ = try? child.signalGroup(.kill)
        master.close()
        let interest = [PollInterest(child.pidfd.number)]
        _ = try? Poll.wait(fds: interest, timeoutMilliseconds: 5000)
        _ = try? child.reap()
    }

    /// The number of the program's process.
    package var processID: Int32 { child.processID }

    /// How the program ended; nil while it runs.
    package var exit: ChildProcess.Exit? { get throws { try child.reap() } }

    /// How often the bell rang.
    package var bellCount: Int { terminal.bells }

    /// Whether the program wants to know what the mouse does.
    package var wantsMouse: Bool { terminal.wantsMouse }

    /// The current screen, after reading all available output.
    package var screen: ScreenPicture {
        get throws {
            try update()
            return current
        }
    }

    /// Takes in all output that has arrived, without waiting.
    package func update() throws {
        _ = try pump(timeoutMilliseconds: 0)
    }

    /// Resizes the terminal. The program receives WINCH.
    package func resize(columns: Int, rows: Int) throws {
        try update()
        terminal.resize(columns: columns, rows: rows)
        picture = nil
        try TerminalSize(columns: columns, rows: rows).apply(to: master.number)
    }

    /// Sends a signal to the program and its group.
    package func kill(_ signal: Signal) throws {
        try child.signalGroup(signal)
    }

    var current: ScreenPicture {
        if let picture { return picture }
        let now = terminal.picture()
        picture = now
        return now
    }

    /// Hands bytes to the program, now or when it reads.
    func transmit(_ bytes: [UInt8]) throws {
        unsent += bytes
        try sendUnsent()
    }

    /// Waits for output at most so long and takes it in; true when something came or it ended.
    func pump(timeoutMilliseconds: Int) throws -> Bool {
        guard !isOver else { return true }
        let interest = PollInterest(master.number, writable: !unsent.isEmpty)
        let ready = try Poll.wait(fds: [interest], timeoutMilliseconds: timeoutMilliseconds)
        if ready.first?.writable == true { try sendUnsent() }
        guard ready.first?.readable == true else { return false }
        for _ in 0..<Self.mostChunksAtOnce {
            switch try master.read(atMost: 65536) {
            case .nothingYet:
                return true
            case .end:
                isOver = true
                return true
            case .bytes(let bytes):
                let moment = SystemClock.monotonicNanoseconds()
                received.append(bytes, at: moment)
                onOutput?(bytes, moment)
                terminal.feed(bytes)
                picture = nil
                try transmit(terminal.drainOutput())
            }
        }
        return true
    }

    private func sendUnsent() throws {
        guard !unsent.isEmpty, !isOver else { return }
        unsent.removeFirst(try master.writeSome(unsent[...]))
    }

    private static func environment(_ terminalType: String, adding: [String]) -> [String] {
        let kept = ["PATH", "HOME", "TMPDIR", "LLVM_PROFILE_FILE", "TSAN_OPTIONS", "ASAN_OPTIONS"]
        let own = kept.compactMap { name in
            ProcessIdentity.environment(name).map { "\(name)=\($0)" }
        }
        var all: [String] = []
        for entry in own + ["TERM=\(terminalType)", "LANG=C.UTF-8"] + adding {
            let name = entry.prefix { $0 != "=" }
            all.removeAll { $0.prefix { $0 != "=" } == name }
            all.append(entry)
        }
        return all
    }
}

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
}

extension TerminalSession {
    /// Waits until the screen is as the test wants it, and returns it.
    ///
    /// Throws with the screen when the time has passed or the program has ended.
    @discardableResult
    package func wait(
        _ what: String, timeoutSeconds: Double = 10, until isThere: (ScreenPicture) -> Bool
    ) throws -> ScreenPicture {
        try update()
        let deadline = Deadline(seconds: timeoutSeconds)
        while true {
            let screen = current
            if isThere(screen) { return screen }
            if isOver {
                _ = try waitForPidfd(deadline)
                throw TerminalFailure.ended(what, exit: try exit, screen: screen)
            }
            if deadline.isOver {
                throw TerminalFailure.timedOut(what, seconds: timeoutSeconds, screen: screen)
            }
            _ = try pump(timeoutMilliseconds: deadline.leftMilliseconds)
        }
    }

    /// Waits until one row of the screen contains a text.
    @discardableResult
    package func wait(forText text: String, timeoutSeconds: Double = 10) throws -> ScreenPicture {
        try wait("the text \"\(text)\"", timeoutSeconds: timeoutSeconds) {
            $0.position(of: text) != nil
        }
    }

    /// Waits until no output has come for so long, and returns the screen: for pictures.
    @discardableResult
    package func settle(
        quietMilliseconds: Int = 60, timeoutSeconds: Double = 10
    ) throws -> ScreenPicture {
        let deadline = Deadline(seconds: timeoutSeconds)
        while try pump(timeoutMilliseconds: quietMilliseconds), !isOver, !deadline.isOver {}
        return current
    }

    /// Waits until the program ended and all its output was read.
    package func waitForExit(timeoutSeconds: Double = 10) throws -> ChildProcess.Exit {
        let deadline = Deadline(seconds: timeoutSeconds)
        while !isOver, !deadline.isOver {
            let fds = [PollInterest(child.pidfd.number), PollInterest(master.number)]
            let ready = try Poll.wait(fds: fds, timeoutMilliseconds: deadline.leftMilliseconds)
            try update()
            // A grandchild may hold the terminal open for ever: the child's end is what counts.
            if ready.contains(where: { $0.descriptor == child.pidfd.number }) { break }
        }
        guard try waitForPidfd(deadline), let exit = try exit else {
            throw TerminalFailure.timedOut(
                "the end of the program", seconds: timeoutSeconds, screen: current)
        }
        try update()
        return exit
    }

    /// Waits for the byte at an offset of the output. Returns its arrival on the monotonic clock.
    ///
    /// Without an offset, waits for the next unread byte.
    package func timeOfByte(
        at offset: Int? = nil, timeoutSeconds: Double = 10
    ) throws -> UInt64 {
        let offset = offset ?? received.count
        let deadline = Deadline(seconds: timeoutSeconds)
        while true {
            if let time = received.time(ofByteAt: offset) { return time }
            if isOver { throw TerminalFailure.ended("output", exit: try exit, screen: current) }
            if deadline.isOver {
                throw TerminalFailure.timedOut("output", seconds: timeoutSeconds, screen: current)
            }
            _ = try pump(timeoutMilliseconds: deadline.leftMilliseconds)
        }
    }

    /// How many nanoseconds pass from just before `event` to the first byte of output after it.
    package func nanosecondsToFirstByte(
        timeoutSeconds: Double = 10, after event: () throws -> Void
    ) throws -> UInt64 {
        try update()
        let offset = received.count
        let start = SystemClock.monotonicNanoseconds()
        try event()
        return try timeOfByte(at: offset, timeoutSeconds: timeoutSeconds) - start
    }

    private func waitForPidfd(_ deadline: Deadline) throws -> Bool {
        while try exit == nil, !deadline.isOver {
            let interest = [PollInterest(child.pidfd.number)]
            _ = try Poll.wait(fds: interest, timeoutMilliseconds: deadline.leftMilliseconds)
        }
        return try exit != nil
    }
}
#endif
