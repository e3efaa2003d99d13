import SluiceModel
import SluicePlatform

/// The result of `report`, for Sluice stores and foreign queues (G7).
struct ReportReply {
    /// A named task that does not exist.
    struct Missing {
        var name: JSONValue
        var error: QueueError
    }
    var text: String
    /// The tasks in the report.
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
        for words in lacking where !common.isJSON && !common.isQuiet {
            try host.write(SafeText.visible("sluice: \(words)") + "\n", .errors)
        }
        return reply
    }
}
