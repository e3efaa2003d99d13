#if canImport(SluiceCVTerm)
import SluiceCSystem
import Glibc
package import SluicePlatform

/// A program on a private terminal.
///
/// Reads output only during waits and in `screen`, so it belongs to one thread. Its deinit kills
/// the program.
package final class TerminalSession {
    /// The program.
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
#endif
