import SluiceModel
import SluiceSystem

/// Maps the exit of a command to an outcome: the table of exit codes.
enum CommandExit {
    /// How long a queue pauses when a command asks for it (A3).
    static let pauseMilliseconds: Int64 = 300_000

    /// The outcome of a child that ended so, with the last lines of its standard error.
    static func outcome(
        of exit: ChildProcess.Exit, result: [UInt8], error: String?
    ) -> HandlerOutcome {
        switch exit {
        case .signal(let signal):
            let lines = error.map { "\n\($0)" } ?? ""
            return .retry(afterMilliseconds: nil, error: "killed by \(name(of: signal))\(lines)")
        case .code(0): return .success(result: result.isEmpty ? nil : result)
        case .code(65): return .giveUp(error: error ?? "exit code 65")
        case .code(69): return .offline(error: error)
        case .code(75): return .retry(afterMilliseconds: nil, error: nil)
        case .code(76): return .park(error: error)
        case .code(77):
            return .pauseQueue(milliseconds: pauseMilliseconds, isCounted: false, error: error)
        case .code(let code):
            return .retry(afterMilliseconds: nil, error: error ?? "exit code \(code)")
        }
    }

    /// A signal by its usual name.
    static func name(of signal: Signal) -> String {
        let name = signal.description
        return name.first?.isNumber == true ? "signal \(name)" : "SIG\(name)"
    }
}
