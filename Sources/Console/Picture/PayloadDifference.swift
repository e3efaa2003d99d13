import QueueModel
import TerminalUI

/// What an edit changes, line by line of the payloads laid out.
struct PayloadDifference {
    let lines: [StyledLine]

    private static let limit = 2000

    init(before: [UInt8], after: [UInt8]) {
        let (old, new) = (Self.text(before), Self.text(after))
        let change = new.difference(from: old)
        var lines: [StyledLine] = []
        var steps = change.removals.map { (Self.offset($0), 0, $0) }
        steps += change.insertions.map { (Self.offset($0), 1, $0) }
        for (_, _, step) in steps.sorted(by: { ($0.0, $0.1) < ($1.0, $1.1) }) {
            switch step {
            case .remove(_, let line, _): lines.append([Span("- ", .failed), Span(line, .failed)])
            case .insert(_, let line, _):
                lines.append([Span("+ ", .running), Span(line, .running)])
            }
        }
        self.lines = lines.isEmpty ? [StyledLine("only blanks differ", .quiet)] : lines
    }

    private static func offset(_ step: CollectionDifference<String>.Change) -> Int {
        switch step {
        case .remove(let offset, _, _), .insert(let offset, _, _): offset
        }
    }

    private static func text(_ bytes: [UInt8]) -> [String] {
        let text =
            (try? JSONValue.parse(bytes))?.text(indent: 2)
            ?? String(decoding: bytes, as: UTF8.self)
        return text.split(separator: "\n", omittingEmptySubsequences: false).prefix(limit)
            .map(String.init)
    }
}
