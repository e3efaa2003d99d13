import SluiceControl
import SluiceMetrics
import SluiceModel
import SluicePlatform
import SluiceRunner
import SluiceStore

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
        let (runner, lines) = try whenThereIsRoom(service) {
            let store = try store()
            opened.withLock { $0 = store }
            let lines = WorkLines(host, common, store: store)
            let runner = try startRunner(
                handlers, wanted, network: SystemNetwork(probe: call.probe)
            ) {
                meter.record($0)
                lines.tell($0)
                service?.record(.runner($0))
            }
            return (runner, lines)
        }
        started.withLock { $0 = runner }
        service?.watch(runner)
        try tellSettingsBesideSDK()
        for name in call.queues ?? [] {
            if let error = try missing(name) { lines.tell(.troubled(error)) }
        }
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
