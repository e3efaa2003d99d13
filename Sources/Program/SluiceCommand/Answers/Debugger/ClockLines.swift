import SluiceControl
import SluiceModel

/// The clock of a store as `--json` says it.
enum ClockJSON {
    /// `clock` of the contract.
    static func value(_ facts: ClockFacts) -> JSONValue {
        [
            "now": JSONValue(facts.now),
            "state": .string(facts.time.word),
            "offsetMilliseconds": .integer(facts.offsetMilliseconds),
            "rate": JSONValue(facts.time.rate),
            "next": facts.next.map(next) ?? .null,
        ]
    }

    private static func next(_ next: ComingMoment) -> JSONValue {
        [
            "at": JSONValue(next.at), "what": .string(next.kind.rawValue),
            "queue": JSONValue(next.queue), "task": JSONValue(next.task),
        ]
    }
}

/// The clock of a store for people.
enum ClockLines {
    /// The time of the store's clock, the start of its setting, and its next event.
    static func lines(_ facts: ClockFacts, names: TaskNames) -> [String] {
        var first = "the clock \(facts.time.words(at: facts.real))"
        if let setting = facts.setting {
            let age = ClockText.age(setting.since, now: facts.real)
            first += ", set by \(setting.by) \(age) ago"
        }
        let next = facts.next.map { next in
            let time = ClockText.relative(next.at, now: facts.now)
            return "\(next.sentence(names.name)), \(time)"
        }
        return [first, "next: \(next ?? "nothing waits for a time")"].map(SafeText.visible)
    }
}
