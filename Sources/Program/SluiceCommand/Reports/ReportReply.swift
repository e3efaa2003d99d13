import SluiceModel
import SluicePlatform

/// What `report` answers, of our own stores and of other systems (G7).
struct ReportReply {
    /// A task that was named and is not there.
    struct Missing {
        var name: JSONValue
        var error: QueueError
    }
    /// The text.
    var text: String
    /// The tasks that it tells of.
    var tasks: [JSONValue]
    /// The tasks that were named and are not there.
    var missing: [Missing]
    /// The paths, with how often each applied.
    var redacted: [(path: String, count: Int)]

    /// What of a few names is found, and what is not there. Throws where nothing is, and whatever
    /// is wrong with a name.
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

    /// Says on the other output what was asked for and is not there.
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
        // A path that is nowhere may be spelled wrong.
        let lacking =
            missing.map(\.error.description)
            + redacted.filter { $0.count == 0 }.map { "nothing stands at \($0.path)" }
        guard !lacking.isEmpty else { return reply }
        reply.exit = .partlyDone
        for words in lacking where !common.isJSON && !common.isQuiet {
            try host.write(SafeText.visible("sluice: \(words)") + "\n", .errors)
        }
        return reply
    }
}
