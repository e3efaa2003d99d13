import QueueModel

/// One thing that was measured several times, each time beside the raw loop.
struct Figure {
    /// What the goal asks for; of a ratio, or of the value where there is nothing to compare with.
    enum Goal: Equatable {
        case atLeast(Double)
        case atMost(Double)
        case none

        var text: String {
            switch self {
            case .atLeast(let value): ">= \(Figure.short(value))"
            case .atMost(let value): "<= \(Figure.short(value))"
            case .none: ""
            }
        }

        func isMet(by value: Double) -> Bool {
            switch self {
            case .atLeast(let limit): value >= limit
            case .atMost(let limit): value <= limit
            case .none: true
            }
        }
    }

    /// One repetition: what was measured, and what the loop on the bare table and the one on
    /// Sluice's own tables came to in the same moment.
    struct Sample {
        var value: Double
        var bare: Double?
        var own: Double?
    }

    /// The row of the table of goals, such as `W1`.
    var id: String
    var title: String
    var unit: String
    var goal = Goal.none
    var samples: [Sample] = []

    /// The values and the ratios to the bare loop and to the own one, each sorted.
    var values: [Double] { samples.map(\.value).sorted() }
    var ratios: [Double] { samples.compactMap { s in s.bare.map { s.value / $0 } }.sorted() }
    var ownRatios: [Double] { samples.compactMap { s in s.own.map { s.value / $0 } }.sorted() }

    /// What the goal is compared with: the median ratio, or the median value.
    var judged: Double { ratios.median ?? values.median ?? 0 }
    var isMet: Bool { goal.isMet(by: judged) }

    var json: JSONValue {
        .object([
            "id": .string(id), "title": .string(title), "unit": .string(unit),
            "value": JSONValue(values.median), "values": .array(values.map { JSONValue($0) }),
            "ratio": JSONValue(ratios.median), "ratios": .array(ratios.map { JSONValue($0) }),
            "ratioToOwnTables": JSONValue(ownRatios.median),
            "goal": .string(goal.text), "isMet": .bool(isMet),
        ])
    }

    /// Three digits that count.
    static func short(_ value: Double) -> String {
        let size = abs(value)
        if size >= 1000 { return "\(Int(value.rounded()))" }
        let places: Double = size >= 100 ? 1 : size >= 10 ? 10 : size >= 1 ? 100 : 1000
        let rounded = (value * places).rounded() / places
        return rounded == rounded.rounded() && size >= 100 ? "\(Int(rounded))" : "\(rounded)"
    }
}

extension [Double] {
    /// The middle of sorted numbers; nil where there is none.
    var median: Double? { isEmpty ? nil : self[count / 2] }

    /// The number below which so many of a hundred lie; the numbers need not be sorted.
    func percentile(_ percent: Int) -> Double {
        let sorted = sorted()
        return sorted.isEmpty ? 0 : sorted[Swift.min(count - 1, count * percent / 100)]
    }
}
