import SluiceControl
import SluiceModel

/// The difference between two moments of a store, for `--json`.
enum DifferenceJSON {
    static func value(_ difference: StoreDifference) -> JSONValue {
        [
            "from": .string(difference.from), "to": .string(difference.to),
            "tasks": .array(
                difference.tasks.map { task in
                    [
                        "id": .integer(task.task.id), "queue": .string(task.task.queue),
                        "type": .string(task.task.type), "change": .string(task.change.rawValue),
                        "fields": fields(task.fields),
                    ]
                }),
            "queues": .array(
                difference.queues.map { queue in
                    [
                        "name": .string(queue.name), "change": .string(queue.change.rawValue),
                        "fields": fields(queue.fields),
                    ]
                }),
            "store": fields(difference.store), "effects": effects(difference.effects),
        ]
    }

    /// The executions that ended between.
    static func effects(_ effects: [AttemptRecord]) -> JSONValue {
        .array(
            effects.map { attempt in
                [
                    "task": .integer(attempt.task), "type": .string(attempt.type),
                    "attempt": JSONValue(attempt.number),
                    "outcome": JSONValue(attempt.outcome?.rawValue),
                    "at": JSONValue(attempt.endedAt),
                ]
            })
    }

    private static func fields(_ fields: [FieldDifference]) -> JSONValue {
        .array(fields.map { ["name": .string($0.name), "from": $0.from, "to": $0.to] })
    }
}

/// The same for people: what came with a plus, what went with a minus, fields line by line.
struct DifferenceText {
    let names: TaskNames
    /// Whether lines have colours, for a terminal.
    let isColoured: Bool

    /// The lines, already fit for a terminal.
    func lines(_ difference: StoreDifference) -> [String] {
        difference.lines(names).map { line in
            let text = SafeText.visible(line.text)
            guard isColoured, let change = line.change else { return text }
            return "\u{1B}[\(Self.colour(change))m\(text)\u{1B}[0m"
        }
    }

    private static func colour(_ change: StoreDifference.Change) -> Int {
        switch change {
        case .added: 32
        case .removed: 31
        case .changed: 33
        }
    }
}
