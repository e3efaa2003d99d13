import SluiceControl
import SluiceModel

/// Checkpoints as `--json` says them.
enum CheckpointJSON {
    /// Several, in their order.
    static func object(_ checkpoints: [ShownCheckpoint]) -> JSONObject {
        ["checkpoints": .array(checkpoints.map(value))]
    }

    private static func value(_ shown: ShownCheckpoint) -> JSONValue {
        [
            "name": .string(shown.checkpoint.name), "at": JSONValue(shown.checkpoint.at),
            "by": .string(shown.checkpoint.by), "changed": JSONValue(shown.changed),
        ]
    }
}

enum CheckpointText {
    static func lines(_ checkpoints: [ShownCheckpoint], now: Timestamp, width: Int?) -> [String] {
        guard !checkpoints.isEmpty else {
            return ["no checkpoint: sluice checkpoint takes one"]
        }
        return TextTable<ShownCheckpoint>([
            .words("NAME", limit: 64) { $0.checkpoint.name },
            .words("TAKEN") { ClockText.relative($0.checkpoint.at, now: now) },
            .numbers("CHANGED") { "\($0.changed)" },
            .words("BY", limit: 30) { $0.checkpoint.by },
        ]).lines(checkpoints, width)
    }
}
