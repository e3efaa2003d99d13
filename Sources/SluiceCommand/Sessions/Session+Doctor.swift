import QueueControl
import QueueModel

/// `doctor`: what is wrong with a store, and what was mended.
extension Session {
    func doctor(_ repairs: Bool) throws -> Reply {
        _ = try store(onlyExamines: !repairs)
        let found = try control().examine(repairs: repairs)
        let json: JSONValue = [
            "problems": JSONValue(found.problems),
            "tasks": JSONValue(found.tasks),
            "repaired": .bool(found.isRepaired),
        ]
        var lines = found.problems.map { SafeText.visible($0) }
        if found.problems.isEmpty {
            lines.append("all is well: \(found.tasks) tasks were looked at")
        } else if found.isRepaired {
            lines.append("mended")
        } else if !repairs {
            lines.append(
                "sluice doctor --repair mends what can be mended, and tries refused rows of the "
                    + "inbox again")
        }
        var reply = Reply(json, lines)
        if !found.problems.isEmpty, !found.isRepaired { reply.exit = .refused }
        return reply
    }
}
