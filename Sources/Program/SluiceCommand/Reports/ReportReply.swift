import SluiceControl
import SluiceModel
import SluiceReports
import SluiceStore
import SluiceSystem

/// The result of `report`, for Sluice stores and foreign queues (G7).
struct ReportReply {
    /// A named task that does not exist.
    struct Missing {
        var name: JSONValue
        var error: QueueError
    }
    var text: String
    var tasks: [JSONValue]
    /// The named tasks that do not exist.
    var missing: [Missing]
    /// The paths, with how often each applied.
    var redacted: [(path: String, count: Int)]

    /// Looks up several names. Throws if none exists, and for any other error of a name.
    static func find<Name, Found>(
        _ names: [Name], as json: (Name) -> JSONValue, _ find: (Name) throws -> Found
    ) throws -> (found: [Found], missing: [Missing]) {
        var (found, missing): ([Found], [Missing]) = ([], [])
        for name in names {
            do {
                found.append(try find(name))
            } catch let error as QueueError where error.code == .unknownTask {
                missing.append(Missing(name: json(name), error: error))
            }
        }
        if found.isEmpty, let missing = missing.first { throw missing.error }
        return (found, missing)
    }

    /// The reply. Names missing tasks on standard error.
    func reply(_ common: CommonOptions, _ host: Host) throws -> Reply {
        let json: JSONValue = [
            "report": .string(text), "tasks": .array(tasks),
            "failed": .array(
                missing.map { missing in
                    [
                        "id": missing.name, "code": .string(missing.error.code.rawValue),
                        "error": .string(missing.error.description),
                    ]
                }),
            "redactions": .array(
                redacted.map { ["path": .string($0.path), "applied": JSONValue($0.count)] }),
        ]
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        if lines.last == "" { lines.removeLast() }
        var reply = Reply(json, lines.map(String.init))
        // A path without matches may be misspelled.
        let lacking =
            missing.map(\.error.description)
            + redacted.filter { $0.count == 0 }.map { "there is nothing at \($0.path)" }
        guard !lacking.isEmpty else { return reply }
        reply.exit = .partlyDone
        if !common.isJSON, !common.isQuiet { try host.remark(lacking) }
        return reply
    }
}

/// `report` (G7).
struct ReportCall: Hashable, Sendable {
    /// More tasks are no report any more.
    static let limit = 100

    var selection: Selection
    /// The payload paths with omitted values.
    var redacted: [PayloadPath]
}

extension CommandContext {
    func report(_ call: ReportCall) throws -> Reply {
        try ReportText.read(call, of: try store(), at: instant).reply(common, host)
    }
}

extension ReportText {
    static func read(
        _ ids: [TaskID], of store: any QueueStore, at now: Timestamp
    ) throws -> String {
        let call = ReportCall(selection: .tasks(ids.map(TaskReference.number)), redacted: [])
        return try read(call, of: store, at: now).text
    }

    /// Reads the tasks and writes their report.
    static func read(
        _ call: ReportCall, of store: any QueueStore, at now: Timestamp
    ) throws -> ReportReply {
        let signs = VitalSigns(of: store)
        let setting = Setting(of: store, at: now)
        return try store.readBlocking { reader in
            let reading = try Reading(reader, now: now, signs: signs)
            let (ids, missing) = try ids(call.selection, reading)
            let report = try ReportText(of: ids, reading, setting, redacting: call.redacted)
            return ReportReply(
                text: report.text, tasks: ids.map(JSONValue.integer), missing: missing,
                redacted: report.redacted)
        }
    }

    private static func ids(
        _ selection: Selection, _ reading: Reading
    ) throws -> (found: [TaskID], missing: [ReportReply.Missing]) {
        switch selection {
        case .tasks(let references):
            let (ids, missing) = try ReportReply.find(
                references, as: { $0.number.map(JSONValue.integer) ?? .string("\($0)") },
                reading.store.resolve)
            var seen: Set<TaskID> = []
            return (ids.filter { seen.insert($0).inserted }, missing)
        case .filter(let filter):
            let queues =
                try filter.queue.map { [try reading.store.requireQueue($0)] }
                ?? reading.store.queues()
            let found = try reading.targets(
                in: queues, sections: ListSection.allCases, matching: filter)
            guard !found.isEmpty else {
                throw QueueError(.unknownTask, "no task matches the filter")
            }
            guard found.count <= ReportCall.limit else {
                throw QueueError(
                    .badFilter,
                    "\(NumberText.tasks(found.count)) match, and a report has at most "
                        + "\(ReportCall.limit)",
                    fix: "narrow the filter")
            }
            return (found.map(\.id), [])
        }
    }
}
