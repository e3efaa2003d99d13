package import SluiceModel

/// A selection of breakpoints or faults.
public enum NumberSelection: Hashable, Sendable {
    case all
    case numbers([Int64])
}

extension NumberSelection {
    /// Reads the words of `break remove` or `fault remove`.
    package init(_ arguments: Arguments, of what: String) throws(QueueError) {
        guard !arguments.has("--all") else {
            try arguments.refuseMore(than: 0)
            self = .all
            return
        }
        guard !arguments.values.isEmpty else {
            throw .usage(
                "N, the number of a \(what), or --all is missing", of: arguments.command)
        }
        var numbers: [Int64] = []
        for text in arguments.values {
            numbers.append(try Arguments.number(text, of: "N", in: 1...(.max)))
        }
        self = .numbers(numbers)
    }

    /// The selected numbers among `known`; throws `badValue` for an unknown number.
    func numbers(among known: [Int64], _ what: String) throws(QueueError) -> [Int64] {
        guard case .numbers(let named) = self else { return known }
        guard let unknown = named.first(where: { !known.contains($0) }) else { return named }
        throw QueueError(
            .badValue, "there is no \(what) \(unknown)",
            fix: known.isEmpty ? "none exists" : Self.sentence(known))
    }

    private static func sentence(_ known: [Int64]) -> String {
        let words = WordList.and(known.map { "\($0)" })
        return known.count == 1 ? "number \(words) is set" : "numbers \(words) are set"
    }

    /// The command that removes them, without `sluice`.
    func command(_ verb: String) -> String {
        switch self {
        case .all: "\(verb) remove --all"
        case .numbers(let numbers):
            "\(verb) remove " + numbers.map { "\($0)" }.joined(separator: " ")
        }
    }
}
