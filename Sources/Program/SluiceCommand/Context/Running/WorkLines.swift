import SluiceControl
import SluiceModel
import SluicePlatform
import SluiceRunner
import SluiceStore

/// The output of `work`: a line for each attempt, and errors.
struct WorkLines: Sendable {
    private let host: Host
    private let common: CommonOptions
    private let store: any QueueStore
    private let unwritten = Protected(0)
    private let refusal = Protected<SystemError?>(nil)

    /// The first error of standard output, other than that its reader closed it.
    var outputError: SystemError? { refusal.withLock { $0 } }

    /// The lines of a worker at a store.
    init(_ host: Host, _ common: CommonOptions, store: any QueueStore) {
        (self.host, self.common, self.store) = (host, common, store)
    }

    /// Prints an event of the runner. The work continues if the output cannot be written.
    func tell(_ event: RunnerEvent) {
        switch event {
        case .settled(let settled):
            guard let attempt = settled.attempt else { return }
            let stepped = Stepped(attempt)
            if common.isJSON {
                write(StepText.value(stepped).text, .output)
            } else if !common.isQuiet {
                write(SafeText.visible(StepText.line(stepped, names: names(in: stepped))), .output)
            }
        case .attached(let id):
            if common.isJSON || common.isQuiet { return }
            write("worker \(id) is attached; ^C stops it", .errors)
            if let lack = store.lack { write("sluice: \(lack.sentence)", .errors) }
        case .troubled(let error): write(error)
        case .told(false): write(QueueError.notWatched)
        case .told(true):
            if !common.isJSON { write("sluice: the store is watched again", .errors) }
        case .started, .ended: break
        }
    }

    private func write(_ error: QueueError) {
        write(
            common.isJSON
                ? ErrorJSON.text(error) : SafeText.visible("sluice: \(error.description)"),
            .errors)
    }

    /// The names in a line; numbers where the store cannot say.
    private func names(in stepped: Stepped) -> TaskNames {
        guard store.namesTasks else { return TaskNames() }
        let now = host.now()
        let tasks = [stepped.id] + TaskNames.mentioned(in: stepped.consequence ?? "")
        return (try? store.readBlocking { try Reading($0, now: now).names(of: tasks) })
            ?? TaskNames()
    }

    /// Writes a line. While another program uses the terminal, such as a console in the foreground,
    /// it only counts the lines, since they would damage the screen.
    private func write(_ line: String, _ output: Standard.Output) {
        if host.isInBackground(output) { return unwritten.withLock { $0 += 1 } }
        let count = unwritten.withLock { count in
            defer { count = 0 }
            return count
        }
        if count > 0, !common.isJSON {
            let lines = count == 1 ? "1 line was" : "\(count) lines were"
            try? host.write(
                "sluice: \(lines) not written while another program had the terminal\n", .errors)
        }
        do {
            try host.write(line + "\n", output)
        } catch let error as SystemError where output == .output && !error.isBrokenPipe {
            refusal.withLock { $0 = $0 ?? error }
        } catch {
            // The work continues without a reader.
        }
    }
}
