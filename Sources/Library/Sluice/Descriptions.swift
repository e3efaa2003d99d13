/// Values as `print` and `\(…)` show them: one line, without the bytes of payloads and results.

extension Timestamp: CustomStringConvertible {
    /// `2026-01-31T14:03:22.123Z`.
    public var description: String { TimeText.rfc3339(self) }
}

extension QueueTask: CustomStringConvertible {
    /// `#5 send in mail, waiting`.
    public var description: String {
        let label = label.map { " \"\(SafeWords.line($0))\"" } ?? ""
        let error = error.map { ": \(SafeWords.line($0))" } ?? ""
        return "#\(id) \(type) in \(queue)\(label), \(state.name)\(error)"
    }
}

extension Execution: CustomStringConvertible {
    /// `#5 send in mail, execution 2 (payload of 12 bytes)`.
    public var description: String {
        "#\(task.id) \(task.type) in \(task.queue), execution \(number) "
            + "(payload of \(SafeWords.size(payload)))"
    }
}

extension AttemptRecord: CustomStringConvertible {
    /// `#5 send in mail, execution 2: failed after 402 ms: HTTP 500 → retry in 24s`.
    public var description: String {
        "#\(task) \(type) in \(queue), execution \(number): "
            + SafeWords.line(AttemptText(self).sentence)
    }
}

extension Settled: CustomStringConvertible {
    /// The attempt; of a completion that came too late, that it changed nothing.
    public var description: String {
        attempt?.description ?? "#\(id) \(type) in \(queue): a late end, which changed nothing"
    }
}

extension RunnerEvent: CustomStringConvertible {
    /// `settled #5 send in mail, execution 2: succeeded after 16 ms`.
    public var description: String {
        switch self {
        case .attached(let id): "attached as worker \(id)"
        case .started(let execution): "started \(execution)"
        case .settled(let settled): "settled \(settled)"
        case .troubled(let error): "troubled: \(SafeWords.line(error.description))"
        case .told(let isNotified): isNotified ? "told of changes" : "not told of changes"
        case .ended: "ended"
        }
    }
}

extension EnqueueRequest: CustomStringConvertible {
    /// `send (payload of 12 bytes)`.
    public var description: String { "\(type) (payload of \(SafeWords.size(payload)))" }
}

extension ClientString: CustomStringConvertible {
    /// The text as far as a line takes it in; of other bytes how many there are.
    public var description: String { text.map(SafeWords.line) ?? SafeWords.size(bytes) }
}

extension Schedule: CustomStringConvertible {
    /// `tick: every 5s, send into mail`.
    public var description: String { "\(name): \(spec.text), \(type) into \(queue)" }
}

extension SessionItem: CustomStringConvertible {
    /// `#5 send in mail, succeeded`.
    public var description: String { task.description }
}

extension UnreadableTask: CustomDebugStringConvertible {
    /// The type, the fault and more about it; `description` is the payload.
    public var debugDescription: String {
        let more = detail.isEmpty ? "" : ": \(SafeWords.line(detail))"
        return "a task \(type) that cannot be read (\(kind)\(more))"
    }
}

extension SessionEvent: CustomStringConvertible {
    /// `ended #5 send in mail, succeeded`.
    public var description: String {
        switch self {
        case .progress(let progress):
            "progress of #\(progress.id)"
                + (progress.fraction.map { ", \(Int($0 * 100)) %" } ?? "")
                + (progress.text.map { ", \(SafeWords.line($0))" } ?? "")
        case .ended(let item): "ended \(item)"
        case .paused(let queue, let pause):
            "\(queue) is paused by \(pause.by)"
                + (pause.reason.map { ": \(SafeWords.line($0))" } ?? "")
        }
    }
}

/// Texts that may come from anywhere, as one line of a log.
enum SafeWords {
    /// Longer texts are cut.
    private static let limit = 200

    /// A text without line breaks and control characters.
    static func line(_ text: String) -> String {
        let scalars = text.unicodeScalars.prefix(limit + 1).map { scalar in
            scalar.properties.generalCategory == .control ? " " : Character(scalar)
        }
        return scalars.count > limit ? String(scalars.prefix(limit)) + "…" : String(scalars)
    }

    static func size(_ bytes: [UInt8]) -> String {
        bytes.count == 1 ? "1 byte" : "\(bytes.count) bytes"
    }
}
