import SluiceControl
import SluiceModel

/// Faults as `--json` says them.
enum FaultJSON {
    /// Several, in their order.
    static func object(_ faults: [Fault]) -> JSONObject { ["faults": .array(faults.map(value))] }

    private static func value(_ fault: Fault) -> JSONValue {
        var chance: (Double, Int64)?
        if case .chance(let value, let seed) = fault.limit { chance = (value, seed) }
        return [
            "id": .integer(fault.number),
            "where": .string(fault.filter.description),
            "kind": .string(fault.kind.name),
            "text": JSONValue(fault.kind.text),
            "left": JSONValue(fault.left),
            "chance": chance.map { JSONValue($0.0) } ?? .null,
            "seed": JSONValue(chance?.1),
            "applied": JSONValue(fault.applied),
            "until": JSONValue(fault.until),
            "by": .string(fault.by),
        ]
    }
}

enum FaultText {
    static func lines(_ faults: [Fault], now: Timestamp, width: Int?) -> [String] {
        guard !faults.isEmpty else {
            return ["no fault: sluice fault 'type:identify' fail sets one"]
        }
        return TextTable<Fault>([
            .numbers("N") { "\($0.number)" },
            .words("KIND", limit: 40) { $0.kind.words },
            .words("WHERE") { $0.filter.description },
            .numbers("APPLIED") { "\($0.applied)" },
            .words("LEFT", left),
            .words("ENDS") { $0.until.map { ClockText.relative($0, now: now) } ?? "when removed" },
            .words("BY", limit: 30) { $0.by },
        ]).lines(faults, width)
    }

    private static func left(_ fault: Fault) -> String {
        switch fault.limit {
        case .times: "\(fault.left ?? 0)"
        case .chance(let chance, let seed): "chance \(chance), seed \(seed)"
        }
    }
}
