import Glibc

/// A signal of the operating system, by its number.
package struct Signal: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    package let rawValue: Int32

    package init(rawValue: Int32) {
        self.rawValue = rawValue
    }

    /// HUP: the terminal was closed.
    package static let hangUp = Signal(rawValue: SIGHUP)
    /// INT: Ctrl-C.
    package static let interrupt = Signal(rawValue: SIGINT)
    /// QUIT: Ctrl-\.
    package static let quit = Signal(rawValue: SIGQUIT)
    /// KILL: the end, without a word.
    package static let kill = Signal(rawValue: SIGKILL)
    /// TERM: a polite request to end.
    package static let terminate = Signal(rawValue: SIGTERM)
    /// USR1: free for any meaning.
    package static let user1 = Signal(rawValue: SIGUSR1)
    /// CHLD: a child changed its state.
    package static let child = Signal(rawValue: SIGCHLD)
    /// CONT: continue after a stop.
    package static let resume = Signal(rawValue: SIGCONT)
    /// STOP: stop immediately.
    package static let stop = Signal(rawValue: SIGSTOP)
    /// TSTP: Ctrl-Z.
    package static let terminalStop = Signal(rawValue: SIGTSTP)
    /// WINCH: the terminal has another size.
    package static let windowChange = Signal(rawValue: SIGWINCH)

    private static let names: [Int32: String] = [
        SIGHUP: "HUP", SIGINT: "INT", SIGQUIT: "QUIT", SIGILL: "ILL", SIGTRAP: "TRAP",
        SIGABRT: "ABRT", SIGBUS: "BUS", SIGFPE: "FPE", SIGKILL: "KILL", SIGUSR1: "USR1",
        SIGSEGV: "SEGV", SIGUSR2: "USR2", SIGPIPE: "PIPE", SIGALRM: "ALRM", SIGTERM: "TERM",
        SIGCHLD: "CHLD", SIGCONT: "CONT", SIGSTOP: "STOP", SIGTSTP: "TSTP", SIGTTIN: "TTIN",
        SIGTTOU: "TTOU", SIGXCPU: "XCPU", SIGXFSZ: "XFSZ", SIGWINCH: "WINCH", SIGSYS: "SYS",
    ]

    /// The name without SIG, as in `TERM`; the number if it has none.
    package var description: String { Self.names[rawValue] ?? "\(rawValue)" }

    package func sendToSelf() throws(SystemError) {
        guard Glibc.kill(getpid(), rawValue) == 0 else { throw .last(.kill, path: "this process") }
    }

    /// Blocks PIPE in the calling thread: a write to a pipe without a reader then fails with EPIPE.
    /// Children do not inherit this.
    package static func blockBrokenPipe() {
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGPIPE)
        pthread_sigmask(SIG_BLOCK, &signals, nil)
    }
}
