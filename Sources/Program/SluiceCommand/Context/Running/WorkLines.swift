import SluiceControl
import SluiceModel
import SluiceRunner
import SluiceStore
import SluiceSystem

/// The output of `work`: a line for each attempt, and errors.
struct WorkLines: Sendable {
    private let host: Host
    private let common: CommonOptions
    private let store: any QueueStore
    private let unwritten = Protected(0)
    private let refusal = Protected<SystemError?>(nil)

    /// The first error of standard output, other than that its reader closed it.
    var outputError: SystemError? { refusal.withLock { $0 } }

    init(_ host: Host, _ common: CommonOptions, store: any QueueStore) {
        (self.host, self.common, self.store) = (host, common, store)
    }

    /// Prints an event of the runner. The work continues if the output cannot be written.
    func tell(_ event: RunnerEvent) {
        switch event {
        case .settled(let settled):
            guard let attempt = settled.attempt else {
                if common.isJSON || common.isQuiet { return }
                let words = "the end of #\(settled.id) changes nothing: this worker lost the task"
                return write("sluice: \(words)", .errors)
            }
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

/// `work`: runs tasks until a stop signal.
extension CommandContext {
    func work(_ call: WorkCall) throws -> ExitCode {
        guard let handlers = try handlers(call.handlers) else {
            throw QueueError(
                .badHandlers, "work needs to know which program runs which type",
                fix: "add --handlers FILE")
        }
        SignalInbox.ignorePipeSignal()
        var options = RunnerOptions()
        options.slots = call.slots
        options.queues = call.queues
        options.endsWhenEmpty = call.endsWhenEmpty
        options.allowsCrash = call.allowsCrash
        let wanted = options
        let started = Protected<Runner?>(nil)
        let service = serviceNotice()
        defer { service?.end() }
        let signals = try SignalWatch { count in
            // Before the attachment no task runs, so there is no end to wait for.
            guard let runner = started.withLock({ $0 }) else { ExitCode.done.end() }
            service?.record(.stopping)
            runner.stop(isUrgent: count > 1)
            return true
        }
        defer { signals.end() }
        let (meter, opened) = (TaskMeter(), Protected<(any QueueStore)?>(nil))
        let server = try serveMetrics(at: call.metrics, of: meter, in: opened)
        defer { server?.stop() }
        let (runner, lines, unknown) = try whenThereIsRoom(service) {
            let store = try store()
            opened.withLock { $0 = store }
            let lines = WorkLines(host, common, store: store)
            // Before the start: an error after it would end the program while its worker runs.
            let unknown = try (call.queues ?? []).compactMap { try missing($0) }
            try tellSettingsBesideSDK()
            let runner = try startRunner(
                handlers, wanted, network: SystemNetwork(probe: call.probe)
            ) {
                meter.record($0)
                lines.tell($0)
                service?.record(.runner($0))
            }
            return (runner, lines, unknown)
        }
        started.withLock { $0 = runner }
        service?.watch(runner)
        for error in unknown { lines.tell(.troubled(error)) }
        return try ending(of: runner, lines)
    }

    /// Waits for the end of a worker, whose own error was already reported.
    private func ending(of runner: Runner, _ lines: WorkLines) throws -> ExitCode {
        runner.wait()
        if let failure = runner.failure { return ExitCode(failure) }
        if let error = lines.outputError { throw error }
        return .done
    }

    /// The service manager that gets the worker's status, if any.
    private func serviceNotice() -> ServiceNotice? {
        do {
            return try ServiceNotice(host.environment)
        } catch {
            try? host.write("sluice: $NOTIFY_SOCKET: \(error); systemd is not notified\n", .errors)
            return nil
        }
    }

    /// Retries while the disk is full or the store is busy. A starting worker waits for these just
    /// as a running one does (P2).
    private func whenThereIsRoom<Value>(
        _ service: ServiceNotice?, _ body: () throws -> Value
    ) throws -> Value {
        var told: QueueError.Code?
        var rest = 50
        while true {
            do {
                return try body()
            } catch {
                let failed = (error as? Failed)?.error ?? QueueError(describing: error)
                guard [.diskFull, .storeBusy].contains(failed.code) else { throw error }
                if told != failed.code {
                    tellOfWait(failed)
                    service?.record(.waiting(failed))
                }
                told = failed.code
                _ = try Poll.wait(fds: [], timeoutMilliseconds: rest)
                rest = min(rest * 2, 5000)
            }
        }
    }

    private func tellOfWait(_ error: QueueError) {
        let line =
            common.isJSON
            ? ErrorJSON.text(error)
            : SafeText.visible("sluice: \(error.message): the worker waits for that")
        // A failed write is harmless.
        try? host.write(line + "\n", .errors)
    }

    /// The warning for a served queue that does not exist yet.
    private func missing(_ name: String) throws -> QueueError? {
        let queues = try read { try $0.store.queues().map(\.name) }
        let composed = Names.composed(name)
        guard !queues.contains(composed) else { return nil }
        let error = QueueError.unknownQueue(composed, known: queues)
        return QueueError(
            error.code, "\(error.message) yet, and it is served once it is there",
            fix: error.fix)
    }
}
