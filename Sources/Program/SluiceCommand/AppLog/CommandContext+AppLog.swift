import SluiceControl
import SluiceModel
import SluicePlatform
import SluiceStore

/// A line of an app's log with the task that it is about.
private struct JoinedLine: Sendable {
    var entry: AppLog.Entry
    var task: TaskID?
    var type: String?

    /// The line in words.
    var what: String {
        let reason = entry.reason.map { ": \($0)" } ?? ""
        return switch entry.kind {
        case .started: "ran in the app"
        case .succeeded: "succeeded in the app"
        case .failed: "failed in the app\(reason)"
        case .refused: "refused, the app removes it\(reason)"
        case .counted: "one more run is counted"
        case .paused: "did not run\(reason)"
        case .deleted: "removed by the app"
        }
    }
}

/// `log --app`: the console log of a Customer.io SDK, joined to the tasks of its folder.
extension CommandContext {
    func appLog(_ source: ByteSource, of tasks: [TaskReference]) throws -> Reply {
        let log = AppLog(try host.bytes(of: source, as: "--app"))
        let (all, names) = try read { reading in
            guard let naming = reading.store.naming else {
                throw QueueError.notLegal(
                    "only the tasks of a Customer.io folder are in an SDK's log",
                    fix: "name the folder with --store")
            }
            let wanted = Set(try tasks.map { try reading.store.resolve($0) })
            var known: [String: TaskID?] = [:]
            let lines = try log.entries.map { entry in
                let found =
                    try known[entry.id]
                    ?? Self.only(naming.tasks(folderIDPrefix: entry.id, limit: 2))
                known[entry.id] = found
                return JoinedLine(
                    entry: entry, task: found,
                    type: try entry.type ?? found.flatMap { try reading.store.task($0)?.type })
            }.filter { line in wanted.isEmpty || line.task.map(wanted.contains) ?? false }
            let ids = Set(lines.compactMap(\.task)).sorted()
            return (lines, try reading.names(of: ids))
        }
        guard !all.isEmpty else {
            return Reply(["entries": []], ["none of \(log.lines) lines is about such a task"])
        }
        return Reply(
            ["entries": .array(all.map { Self.json($0, names) })],
            TextTable<JoinedLine>([
                .numbers("LINE") { "\($0.entry.line)" },
                .words("TASK") { line in line.task.map(names.name) ?? line.entry.id },
                .words("TYPE", limit: 30) { $0.type ?? "" },
                .words("IN THE APP", limit: 160) { $0.what },
            ]).lines(all, host.columns()))
    }

    /// The task of an unambiguous beginning.
    private static func only(_ found: [TaskID]) -> TaskID? { found.count == 1 ? found[0] : nil }

    private static func json(_ line: JoinedLine, _ names: TaskNames) -> JSONValue {
        [
            "line": JSONValue(line.entry.line), "id": line.task.map(names.json) ?? .null,
            "appID": .string(line.entry.id), "type": JSONValue(line.type),
            "kind": .string(line.entry.kind.rawValue), "reason": JSONValue(line.entry.reason),
        ]
    }
}
