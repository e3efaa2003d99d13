import SluiceModel
import SluicePlatform
import SluiceRunner

/// The environment of a command: the runner's own, with variables about the task.
enum CommandEnvironment {
    static func make(
        base: [String], execution: Execution, reportDescriptor: Int32
    ) -> [String] {
        var variables = variables(of: execution)
        variables["SLUICE_REPORT_FD"] = "\(reportDescriptor)"
        variables["SLUICE_PAYLOAD_BYTES"] = "\(execution.payload.count)"
        variables["SLUICE_PAYLOAD_SHA256"] = SHA256.hexadecimal(execution.payload)
        // A runner may itself be the command of a task: what its own runner said is not passed on.
        let inherited = base.filter { variable in
            let name = String(variable.prefix { $0 != "=" })
            return variables[name] == nil && !ofRunnerAlone.contains(name)
        }
        return inherited + variables.map { "\($0)=\($1)" }.sorted()
    }

    /// The environment of a program that stays: the runner's own, and its store.
    static func make(base: [String], ofCopyFor execution: Execution) -> [String] {
        let ofTasks = variables(of: execution)
        let inherited = base.filter { variable in
            let name = String(variable.prefix { $0 != "=" })
            return ofTasks[name] == nil && !ofRunnerAlone.contains(name)
        }
        return inherited + ["SLUICE_STORE=\(execution.storeName)"]
    }

    /// Variables that a child must not inherit: the service manager's variables for this runner,
    /// and the optional variables of a task. A task of another store may run this runner.
    private static let ofRunnerAlone: Set = [
        "NOTIFY_SOCKET", "WATCHDOG_PID", "WATCHDOG_USEC", "SLUICE_SCHEDULE",
        "SLUICE_SCHEDULED_AT", "SLUICE_DUE_AT", "SLUICE_LAST_ERROR",
    ]

    /// The variables about an attempt's task.
    static func variables(of execution: Execution) -> [String: String] {
        var variables = [
            "SLUICE_TASK_ID": "\(execution.task.id)",
            "SLUICE_QUEUE": execution.task.queue,
            "SLUICE_TYPE": execution.task.type,
            "SLUICE_ATTEMPT": "\(execution.number)",
            "SLUICE_IDEMPOTENCY_KEY": execution.idempotencyKey,
            "SLUICE_PARENT": "\(execution.task.id)",
            "SLUICE_STORE": execution.storeName,
        ]
        if let scheduled = execution.task.scheduled {
            variables["SLUICE_SCHEDULE"] = scheduled.schedule
            variables["SLUICE_SCHEDULED_AT"] = TimeText.rfc3339(scheduled.at)
        }
        if execution.task.freshAt.milliseconds > 0 {
            variables["SLUICE_DUE_AT"] = TimeText.rfc3339(execution.task.freshAt)
        }
        if let error = execution.task.lastError {
            variables["SLUICE_LAST_ERROR"] = BoundedText.prefix(
                error.replacing("\0", with: ""), bytes: ErrorTail.limitBytes)
        }
        return variables
    }
}
