import SluicePlatform

/// A shell command that has the terminal of this process until it ends. The screen must have given
/// the terminal back.
struct TerminalProgram {
    /// The signals that end the console, which end the program too.
    let signals: SignalInbox
    /// The signal that ended the program, for the console to end by.
    private(set) var ending: Signal?

    init(signals: SignalInbox) { self.signals = signals }

    /// Runs `/bin/sh` and waits for its end. Calls `renew` at an interval, if one is given.
    mutating func run(
        _ arguments: [String], variables: [String] = [], every milliseconds: Int? = nil,
        _ renew: () -> Void = {}
    ) throws(SystemError) -> ChildProcess.Exit {
        let child = try ChildProcess.spawn(
            Spawn(
                "/bin/sh", arguments, environment: ProcessIdentity.environment() + variables,
                input: .descriptor(0), output: .descriptor(1), errors: .descriptor(2),
                group: .parent))
        while true {
            if let exit = try child.reap() {
                // The terminal also sent Ctrl-C to this process, which must not end by it.
                ending = try endingSignal() ?? ending
                return exit
            }
            let ready = try wait(for: child.pidfd.number, milliseconds)
            if ready.isEmpty { renew() }
            if let signal = try signal(of: ready) { _ = try child.signal(signal) }
        }
    }

    /// Waits until the person presses Enter, or a signal ends the console.
    mutating func waitForEnter() throws(SystemError) {
        while ending == nil {
            let ready = try wait(for: Standard.inputDescriptor, nil)
            _ = try signal(of: ready)
            guard ready.contains(where: { $0.descriptor == Standard.inputDescriptor }) else {
                continue
            }
            switch try Standard.read(atMost: 4096) {
            case .bytes(let bytes) where !bytes.contains(where: { $0 == 0x0a || $0 == 0x0d }): break
            case .nothingYet: break
            default: return
            }
        }
    }

    private func wait(
        for descriptor: Int32, _ milliseconds: Int?
    ) throws(SystemError) -> [PollReady] {
        let fds = [descriptor, signals.descriptor.number].map { PollInterest($0) }
        return try Poll.wait(fds: fds, timeoutMilliseconds: milliseconds)
    }

    /// The signal that must end the console, if one arrived.
    private mutating func signal(of ready: [PollReady]) throws(SystemError) -> Signal? {
        guard ready.contains(where: { $0.descriptor == signals.descriptor.number }) else {
            return nil
        }
        let found = try endingSignal()
        ending = found ?? ending
        return found
    }

    private func endingSignal() throws(SystemError) -> Signal? {
        try signals.drain().first { Self.ends.contains($0) }
    }

    /// The signals after which the console must not wait for a person.
    private static let ends: [Signal] = [.terminate, .hangUp]
}

extension ChildProcess.Exit {
    /// How a program ended, for a person.
    var sentence: String {
        switch self {
        case .code(127): "was not found (exit code 127)"
        case .code(let code): "ended with exit code \(code)"
        case .signal(let signal): "was ended by \(signal)"
        }
    }
}
