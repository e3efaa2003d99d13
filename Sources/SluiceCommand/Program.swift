import Platform
import QueueControl
import QueueModel
import QueueStore

/// One command from its words to its exit code.
struct Program: Sendable {
    /// The machine.
    let host: Host

    /// Runs the words after `sluice` and gives the exit code.
    func run(_ words: [String]) -> ExitCode {
        let isJSON = words.prefix { $0 != "--" }.contains("--json")
        do {
            let line = try CommandLineParser.parse(words: words, now: host.now())
            return try perform(line)
        } catch let failed as Failed {
            return report(failed.error, exit: failed.exit, asJSON: isJSON)
        } catch {
            let error = QueueError(describing: error)
            return report(error, exit: ExitCode(error), asJSON: isJSON)
        }
    }

    private func perform(_ line: Request) throws -> ExitCode {
        switch line.invocation {
        case .version: return try answer(Self.version, line.common)
        case .help(let topic): return try answer(Help.reply(topic), line.common)
        case .completion(let shell): return try answer(shell.script, line.common)
        case .complete(let words):
            return try answer(completions(of: words), line.common)
        default: break
        }
        let session = Session(host: host, common: line.common)
        defer { session.close() }
        switch line.invocation {
        case .console(let start): return try session.openConsole(start)
        case .initialize(let durability): return try answer(
            session.initialize(durability), line.common)
        case .look(let look): return try answer(session.look(look), line.common)
        case .change(let change): return try answer(session.change(change), line.common)
        default: return .done
        }
    }

    private func answer(_ reply: Reply, _ common: CommonOptions) throws -> ExitCode {
        if common.isJSON {
            try host.write(reply.json.text + "\n", .output)
        } else if !(common.isQuiet && reply.isConfirmation), !reply.lines.isEmpty {
            try host.write(reply.lines.joined(separator: "\n") + "\n", .output)
        }
        return reply.exit
    }

    /// Says an error on standard error; when that is gone too there is nobody left to tell.
    private func report(_ error: QueueError, exit: ExitCode, asJSON: Bool) -> ExitCode {
        let text =
            asJSON ? ErrorJSON.text(error) : SafeText.visible("sluice: \(error.description)")
        try? host.write(text + "\n", .errors)
        return exit
    }
}
