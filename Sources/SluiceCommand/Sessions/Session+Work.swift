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
        let lines = WorkLines(host, common, store: try store())
        let runner = try startRunner(
            handlers, options, network: SystemNetwork(probe: call.probe)
        ) { lines.tell($0) }
        let signals = try SignalWatch(stopping: runner)
        runner.wait()
        signals.end()
        // What was wrong has been said.
        return runner.failure.map { ExitCode($0) } ?? .done
    }
}
