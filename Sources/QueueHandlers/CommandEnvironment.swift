import QueueModel
import QueueRunner

/// The environment of a command: the runner's own, and what tells it about its task.
enum CommandEnvironment {
    static func make(
        base: [String], execution: Execution, reportDescriptor: Int32
    ) -> [String] {
        let variables = [
            ("SLUICE_TASK_ID", "\(execution.task.id)"),
            ("SLUICE_QUEUE", execution.task.queue),
            ("SLUICE_TYPE", execution.task.type),
            ("SLUICE_ATTEMPT", "\(execution.number)"),
            ("SLUICE_IDEMPOTENCY_KEY", execution.idempotencyKey),
            ("SLUICE_PARENT", "\(execution.task.id)"),
            ("SLUICE_STORE", execution.storeName),
            ("SLUICE_REPORT_FD", "\(reportDescriptor)"),
        ]
        let names = Set(variables.map(\.0))
        // A runner may itself be the command of a task: what its own runner said is not passed on.
        let inherited = base.filter { !names.contains(String($0.prefix { $0 != "=" })) }
        return inherited + variables.map { "\($0)=\($1)" }
    }
}
