import SluiceControl
import SluiceModel
import SluiceStore
import SluiceSystem

/// The lines about a queue in the console log of a Customer.io SDK, of iOS or Android. A payload in
/// such a line is left out.
struct AppLog {
    /// The event that a line reports.
    enum Kind: String, Hashable, Sendable {
        case started, succeeded, failed, refused, counted, paused, deleted
    }

    /// One line about a task.
    struct Entry: Hashable, Sendable {
        /// The line's number in the log, from 1.
        var line: Int
        /// The task's id, or the beginning of it as the SDK for iOS writes it.
        var id: String
        /// The task's type, where the log has it.
        var type: String?
        var kind: Kind
        var reason: String?
    }

    /// The lines about tasks, in their order.
    private(set) var entries: [Entry] = []
    private(set) var lines = 0

    /// More entries are not kept.
    static let limit = 100_000
    private static let longestReason = 500

    private var types: [String: String] = [:]
    private var running: String?

    init(_ bytes: [UInt8]) {
        for line in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
            lines += 1
            guard entries.count < Self.limit, line.contains(UInt8(ascii: "q")) || running != nil
            else { continue }
            take(String(decoding: line, as: UTF8.self))
        }
        if bytes.last == UInt8(ascii: "\n") { lines -= 1 }
    }

    private mutating func take(_ line: String) {
        if let rest = Self.rest(of: line, after: "queue next task to run: ") {
            guard let id = Self.id(rest), rest.dropFirst(id.count).hasPrefix(", ") else { return }
            let type = rest.dropFirst(id.count + 2).prefix { $0 != "," && $0 != " " }
            types[id] = String(type)
            running = id
            add(.started, id)
        } else if let rest = Self.rest(of: line, after: "queue deleting task ") {
            if let id = Self.id(rest) { add(.deleted, id) }
        } else if let rest = Self.rest(of: line, after: "queue task ") {
            guard let id = Self.id(rest) else { return }
            takeEnd(rest.dropFirst(id.count), of: id)
        } else if let id = running, line.contains("HTTP 400"),
            let reason = Self.rest(of: line, after: "Error message from API: ")
        {
            let own = Self.rest(of: reason, before: ", request data sent: ") ?? reason
            add(.refused, id, reason: "HTTP 400: \(own)")
        }
    }

    private mutating func takeEnd(_ words: Substring, of id: String) {
        if words.hasPrefix(" ran successfully") {
            add(.succeeded, id)
        } else if words.hasPrefix(" run failed") {
            let reason = words.dropFirst(" run failed".count).drop { $0 == " " }
            add(.failed, id, reason: reason.isEmpty ? nil : String(reason))
        } else if words.contains("updating run history") {
            add(.counted, id)
        } else if words.hasPrefix(" didn't run because all HTTP requests paused") {
            add(.paused, id, reason: "all HTTP requests are paused")
        }
    }

    private mutating func add(_ kind: Kind, _ id: String, reason: String? = nil) {
        entries.append(
            Entry(
                line: lines, id: id, type: types[id], kind: kind,
                reason: reason.map { String($0.prefix(Self.longestReason)) }))
    }

    private static func rest(of line: String, after mark: String) -> String? {
        line.range(of: mark).map { String(line[$0.upperBound...]) }
    }

    private static func rest(of line: String, before mark: String) -> String? {
        line.range(of: mark).map { String(line[..<$0.lowerBound]) }
    }

    /// The id at the beginning of a text: at least five of its digits.
    private static func id(_ text: String) -> String? {
        let id = text.prefix { $0.isHexDigit || $0 == "-" }
        return id.count >= 5 ? String(id) : nil
    }
}

extension StringProtocol {
    /// The first place of a text.
    fileprivate func range(of text: String) -> Range<Index>? {
        let wanted = Array(text.utf8)
        var start = startIndex
        while start < endIndex {
            let rest = self[start...]
            if rest.utf8.starts(with: wanted) {
                return start..<(rest.index(start, offsetBy: text.count))
            }
            start = index(after: start)
        }
        return nil
    }
}

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
