import SluiceModel
import SluiceRunner
import SluiceSystem

/// The environment of a command: the runner's own, with variables about the task.
enum CommandEnvironment {
    static func make(
        base: [String], execution: Execution, reportDescriptor: Int32
    ) -> [String] {
        var variables = variables(of: execution)
        variables["SLUICE_REPORT_FD"] = "\(reportDescriptor)"
        variables["SLUICE_PAYLOAD_BYTES"] = "\(execution.payload.count)"
        variables["SLUICE_PAYLOAD_SHA256"] = SHA256.hexadecimal(execution.payload)
        return inherited(base, but: variables) + variables.map { "\($0)=\($1)" }.sorted()
    }

    /// The environment of a program that stays: the runner's own, and its store.
    static func make(base: [String], ofCopyFor execution: Execution) -> [String] {
        var execution = execution
        execution.task.headers = [:]
        return inherited(base, but: variables(of: execution)) + [
            "SLUICE_STORE=\(execution.storeName)"
        ]
    }

    /// Variables that a child must not inherit: the service manager's variables for this runner,
    /// and the optional variables of a task. A task of another store may run this runner.
    private static let ofRunnerAlone: Set = [
        "NOTIFY_SOCKET", "WATCHDOG_PID", "WATCHDOG_USEC", "SLUICE_SCHEDULE",
        "SLUICE_SCHEDULED_AT", "SLUICE_DUE_AT", "SLUICE_LAST_ERROR",
    ]

    /// The variables of a runner that its child has too. A runner may itself be the command of a
    /// task, and that task's variables are not for its own tasks.
    private static func inherited(
        _ base: [String], but variables: [String: String]
    ) -> [String] {
        let ofOuterTask = Set(base.lazy.filter { $0.hasPrefix(headerPrefix) }.map(nameOf))
        let hasTrace = variables[headerPrefix + traceVariables[0]] != nil
        return base.filter { variable in
            let name = nameOf(variable)
            guard variables[name] == nil, !ofRunnerAlone.contains(name),
                !name.hasPrefix(headerPrefix)
            else { return false }
            // The state and the baggage of one trace do not belong to another.
            return !traceVariables.contains(name)
                || !hasTrace && !ofOuterTask.contains(headerPrefix + name)
        }
    }

    private static func nameOf(_ variable: String) -> String {
        String(variable.prefix { $0 != "=" })
    }

    private static let headerPrefix = "SLUICE_HEADER_"
    /// The names that OpenTelemetry has for the headers of a trace, `TRACEPARENT` first.
    private static let traceVariables = TaskHeaders.ofTracing.map { $0.uppercased() }

    /// The headers of a task. Of names that become one variable the first has it.
    private static func headerVariables(_ headers: [String: String]) -> [String: String] {
        var variables: [String: String] = [:]
        for (name, value) in TaskHeaders.sorted(headers) {
            let capitals = name.uppercased().replacing("-", with: "_").replacing(".", with: "_")
            if variables[headerPrefix + capitals] == nil {
                variables[headerPrefix + capitals] = value
            }
            if traceVariables.contains(capitals) { variables[capitals] = value }
        }
        return variables
    }

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
        if !execution.headers.isEmpty {
            variables.merge(headerVariables(execution.headers)) { own, _ in own }
        }
        return variables
    }
}
