import SluiceControl
import SluiceModel
import SluicePlatform
import SluiceReports
import SluiceStore

/// `report` (G7).
struct ReportCall: Hashable, Sendable {
    /// More tasks are no report any more.
    static let limit = 100

    /// Which tasks.
    var selection: Selection
    /// The places of payloads whose values are left out.
    var redacted: [PayloadPath]
}

extension CommandContext {
    func report(_ call: ReportCall) throws -> Reply {
        let report = try ReportText.read(call, of: try store(), at: instant)
        let counts = report.text.redacted
        let json: JSONValue = [
            "report": .string(report.text.text), "tasks": .array(report.tasks.map { .integer($0) }),
            "redactions": .array(
                counts.map { ["path": .string($0.path), "applied": JSONValue($0.count)] }),
        ]
        var lines = report.text.text.split(separator: "\n", omittingEmptySubsequences: false)
        if lines.last == "" { lines.removeLast() }
        var reply = Reply(json, lines.map(String.init))
        // What was to be left out and is not there may be spelled wrong.
        let missing = counts.filter { $0.count == 0 }
        guard !missing.isEmpty else { return reply }
        reply.exit = .partlyDone
        for (path, _) in missing where !common.isJSON && !common.isQuiet {
            try host.write(
                SafeText.visible("sluice: nothing stands at \(path)") + "\n", .errors)
        }
        return reply
    }
}

extension ReportText {
    /// The report of tasks by their numbers.
    static func read(
        _ ids: [TaskID], of store: any QueueStore, at now: Timestamp
    ) throws -> String {
        let call = ReportCall(selection: .tasks(ids.map(TaskReference.number)), redacted: [])
        return try read(call, of: store, at: now).text.text
    }

    /// Reads the tasks and writes their report.
    static func read(
        _ call: ReportCall, of store: any QueueStore, at now: Timestamp
    ) throws -> (text: ReportText, tasks: [TaskID]) {
        let isGone = Reaper.deathSign(of: store)
        let setting = Setting(of: store, at: now)
        return try store.readBlocking { reader in
            let reading = try Reading(reader, now: now, isGone: isGone)
            let ids = try ids(call.selection, reading)
            return (try ReportText(of: ids, reading, setting, redacting: call.redacted), ids)
        }
    }

    private static func ids(_ selection: Selection, _ reading: Reading) throws -> [TaskID] {
        switch selection {
        case .tasks(let references):
            var ids: [TaskID] = []
            for reference in references {
                let id = try reading.store.resolve(reference)
                if !ids.contains(id) { ids.append(id) }
            }
            return ids
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
            return found.map(\.id)
        }
    }
}
