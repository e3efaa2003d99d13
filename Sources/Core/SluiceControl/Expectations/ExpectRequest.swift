package import SluiceModel
import SluiceStore

/// An expectation and its time limits.
package struct ExpectRequest: Hashable, Sendable {
    package var expectation: Expectation
    /// How long it may take until it holds; nil asks for this moment alone.
    package var withinMilliseconds: Int64?
    /// Whether it must hold all that time.
    package var isThroughout = false
    /// Attempts that ended before do not count as having run; nil counts all that the journal has.
    package var since: Timestamp?
    /// The checkpoint that says since when.
    package var sinceCheckpoint: String?

    /// Creates an expectation; by default it must hold now.
    package init(
        _ expectation: Expectation, withinMilliseconds: Int64? = nil,
        isThroughout: Bool = false, since: Timestamp? = nil
    ) {
        self.expectation = expectation
        self.withinMilliseconds = withinMilliseconds
        (self.isThroughout, self.since) = (isThroughout, since)
    }

    /// Reads the words of `expect`; `now` is what `--since 10m` counts back from.
    package init(_ arguments: Arguments, now: Timestamp) throws(QueueError) {
        try arguments.refuseUnquoted(than: 1)
        let text = try arguments.one("EXPR")
        self.init(try Expectation(text, saved: arguments.savedFilters))
        withinMilliseconds = try arguments.milliseconds("--within")
        isThroughout = arguments.has("--throughout")
        guard !isThroughout || withinMilliseconds != nil else {
            throw .usage("--throughout needs --within, how long", of: arguments.command)
        }
        guard let text = arguments.text("--since") else { return }
        since = Arguments.past(text, now: now)
        sinceCheckpoint = since == nil ? text : nil
    }

    /// The same with the moment of its checkpoint.
    func dated(in store: any StoreReader) throws -> ExpectRequest {
        guard let name = sinceCheckpoint else { return self }
        let known = try store.storeRecord().checkpoints.all
        guard let checkpoint = known.last(where: { $0.name == name }) else {
            let names = known.map { "\"\($0.name)\"" }.joined(separator: ", ")
            throw QueueError(
                .badValue, "--since: there is no checkpoint \"\(name)\"",
                fix: "allowed: \(Arguments.pastForms), or the name of a checkpoint"
                    + (names.isEmpty ? "" : " (\(names))"))
        }
        var dated = self
        dated.since = checkpoint.at
        return dated
    }
}

/// Whether an expectation held, and the tasks that prevented it.
public struct ExpectAnswer: Hashable, Sendable {
    package var request: ExpectRequest
    /// Whether it held.
    public var held: Bool
    /// The expected values: all if it held, else the parts that failed.
    public var expected: String
    /// The actual values of these parts.
    public var actual: String
    /// The time spent waiting.
    public var milliseconds: Int64
    /// The tasks in the way with their blockers, a few of them.
    package var why: [TaskLine]
}

extension ExpectAnswer: CustomStringConvertible {
    /// The text for a test failure: expected, actual and why.
    public var description: String {
        let after = milliseconds > 0 ? " after \(DurationText.taken(milliseconds))" : ""
        guard !held else { return "held\(after): \(expected)" }
        let blockers = why.flatMap { line in
            line.blockers.prefix(1).map { "\(line.name) \(line.display.rawValue): \($0.text)" }
        }
        return (["not held\(after): expected \(expected), but \(actual)"] + blockers)
            .joined(separator: "; ")
    }
}

extension Arguments {
    /// A moment that has passed: `10m` is so long ago.
    package func past(_ name: String, now: Timestamp) throws(QueueError) -> Timestamp? {
        guard let text = text(name) else { return nil }
        if let moment = Self.past(text, now: now) { return moment }
        throw .badValue(name, text, allowed: Self.pastForms)
    }

    fileprivate static let pastForms =
        "10m for so long ago, or RFC 3339 such as 2026-01-31T14:03:22Z"

    fileprivate static func past(_ text: String, now: Timestamp) -> Timestamp? {
        let ago = text.hasPrefix("-") ? String(text.dropFirst()) : text
        if let wait = DurationText.milliseconds(ago) { return now + -wait }
        return text.hasPrefix("+") ? nil : TimeText.moment(text, now: now)
    }
}
