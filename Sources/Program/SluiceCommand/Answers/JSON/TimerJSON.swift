import SluiceControl
import SluiceModel
import SluiceStore

/// An element of `timers`.
enum TimerJSON {
    static func value(_ timer: TimerLine) -> JSONValue {
        [
            "id": JSONValue(timer.id),
            "queue": timer.queue.isEmpty ? .null : .string(timer.queue),
            "at": JSONValue(timer.at),
            "kind": .string(timer.kind.rawValue),
            "schedule": JSONValue(timer.schedule),
            "attempt": JSONValue(timer.attempt),
            "attemptLimit": JSONValue(timer.attemptLimit),
        ]
    }
}

/// An element of `groups`.
enum GroupJSON {
    /// One group; its first start is the one that holds the others back.
    static func value(_ group: GroupSummary) -> JSONValue {
        [
            "name": .string(group.name),
            "starts": .array(group.starts.map(JSONValue.integer)),
            "members": JSONValue(group.members),
            "heldBy": JSONValue(group.starts.first),
        ]
    }
}
