import Platform
import QueueControl
import QueueModel
import QueueRunner
import QueueStore

/// `work`: runs tasks until it is told to stop.
extension Session {
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
        let (host, common) = (host, common)
        let runner = try startRunner(handlers, options) { event in
            // A reader of the lines that went away does not end the work.
            try? Self.tell(event, host, common)
        }
        let signals = try SignalWatch(stopping: runner)
        runner.wait()
        signals.end()
        return .done
    }

    private static func tell(
        _ event: RunnerEvent, _ host: Host, _ common: CommonOptions
    ) throws {
        switch event {
        case .settled(let settled):
            guard let attempt = settled.attempt else { return }
            let stepped = Stepped(attempt)
            if common.isJSON {
                try host.write(StepText.value(stepped).text + "\n", .output)
            } else if !common.isQuiet {
                try host.write(StepText.line(stepped, names: TaskNames()) + "\n", .output)
            }
        case .attached(let id):
            if common.isJSON || common.isQuiet { return }
            try host.write("runner \(id) is attached; ^C stops it\n", .errors)
        case .troubled(let error):
            let text =
                common.isJSON
                ? ErrorJSON.text(error) : SafeText.visible("sluice: \(error.description)")
            try host.write(text + "\n", .errors)
        case .started, .ended: break
        }
    }
}
