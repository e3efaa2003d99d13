import SluiceConsole
import SluiceControl
import SluiceModel

/// The output of `flow` as JSON.
struct FlowJSON {
    let scene: LoadedScene
    let isHour: Bool

    var value: JSONValue {
        ["queues": .array(scene.queues.map(queue)), "ended": ended]
    }

    private func queue(_ line: QueueLine) -> JSONValue {
        let (tally, gate) = (line.tally, QueueGate(line, scene))
        let rates = scene.flow?.queues[line.name]?.tally?.perMinute(at: scene.at)
        let arrived = scene.flow?.arrivedPerMinute[line.name]
        return [
            "name": .string(line.name),
            "gate": [
                "open": .bool(gate.isOpen), "words": .string(gate.words),
                "since": JSONValue(gate.since),
            ],
            "waiting": JSONValue(tally.waiting), "due": JSONValue(tally.due),
            "held": JSONValue(tally.held), "blocked": JSONValue(tally.blocked),
            "delayed": JSONValue(tally.delayed), "retrying": JSONValue(tally.retrying),
            "skipped": JSONValue(tally.skipped), "parked": JSONValue(tally.parked),
            "running": JSONValue(tally.running), "failed": JSONValue(tally.failed),
            "arrivedPerMinute": JSONValue(arrived ?? 0),
            "succeededPerMinute": JSONValue(rates?.succeeded ?? 0),
            "failedPerMinute": JSONValue(rates?.failed ?? 0),
        ]
    }

    private var ended: JSONValue {
        guard let tally = scene.flow?.all.tally else { return .null }
        let parts = tally.parts(of: isHour ? 6 : 1, count: isHour ? 60 : 12, until: scene.at)
        return [
            "until": JSONValue(scene.at), "partSeconds": JSONValue(isHour ? 60 : 10),
            "succeeded": .array(parts.map { JSONValue($0.succeeded) }),
            "failed": .array(parts.map { JSONValue($0.failed) }),
        ]
    }
}
