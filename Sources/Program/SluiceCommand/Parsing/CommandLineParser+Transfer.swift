import SluiceControl
import SluiceModel
import SluiceReports
import SluiceTransfer

/// `export` and `import`.
extension CommandLineParser {
    static func export(_ arguments: Arguments) throws(QueueError) -> ExportCall {
        let target = try arguments.one("TARGET")
        let named: TransferFormat? =
            arguments.has("--har") ? .har : try arguments.choice("--format")
        guard let format = named ?? TransferFormat(ofName: target) else {
            throw .badValue(
                "TARGET", target,
                allowed: "a name that ends in .jsonl, .db, .har or /, - for standard output, or "
                    + "any name with --format lines, sqlite, folder or har")
        }
        guard target != "-" || format == .lines else {
            throw .badValue(
                "--format", format.rawValue, allowed: "lines where the target is standard output")
        }
        let redacted = try ReportText.paths(arguments.all("--redact"))
        guard format == .har || redacted.isEmpty else {
            throw .badValue("--redact", arguments.all("--redact")[0], allowed: "only with --har")
        }
        return ExportCall(
            target: target, format: format, queue: try arguments.name("--queue", of: "queue"),
            filter: try arguments.filter(), redacted: redacted)
    }

    static func importTasks(_ arguments: Arguments) throws(QueueError) -> ImportCall {
        ImportCall(
            source: try arguments.one("SOURCE"),
            queue: try arguments.name("--queue", of: "queue"), filter: try arguments.filter(),
            again: arguments.has("--again"), system: arguments.text("--as"))
    }

    static func copy(_ arguments: Arguments) throws(QueueError) -> CopyCall {
        guard arguments.values.count == 2 else {
            throw .usage("name two stores, FROM and TO", of: arguments.command)
        }
        var call = CopyCall(source: arguments.values[0], target: arguments.values[1])
        call.queues = try names(arguments.text("--queues"))
        if let wait = try arguments.milliseconds("--wait") { call.waitMilliseconds = wait }
        call.staysInSource = arguments.has("--stay")
        call.again = arguments.has("--again")
        call.isRehearsal = arguments.has("--dry-run")
        return call
    }
}
