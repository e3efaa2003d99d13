import SluiceModel

/// One thing that was measured several times, each time beside the raw loop.
struct Figure {
    /// What the goal asks for; of a ratio, or of the value where there is nothing to compare with.
    enum Goal: Equatable {
        case atLeast(Double)
        case atMost(Double)
        /// More than the base by at most this: the difference counts, not the ratio.
        case within(Double)
        case none

        var text: String {
            switch self {
            case .atLeast(let value): ">= \(Figure.short(value))"
            case .atMost(let value): "<= \(Figure.short(value))"
            case .within(let value): "+ \(Figure.short(value))"
            case .none: ""
            }
        }

        func isMet(by value: Double) -> Bool {
            switch self {
            case .atLeast(let limit): value >= limit
            case .atMost(let limit), .within(let limit): value <= limit
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
    /// What `bare` is of: what the ratio is to.
    var base = "the raw loop"
    /// Why nothing was measured; nil where something was.
    var absence: String?
    /// Whether the goal is of the value although there is a base to see beside it.
    var goalIsOfValue = false
    /// The share of the processor that others took meanwhile who share the machine beneath.
    var stolen: Double?
    /// Whether it counts what does not vary from run to run.
    var isCount = false

    /// The values and the ratios to the bare loop and to the own one, each sorted.
    var values: [Double] { samples.map(\.value).sorted() }
    var ratios: [Double] { samples.compactMap { s in s.bare.map { s.value / $0 } }.sorted() }
    var ownRatios: [Double] { samples.compactMap { s in s.own.map { s.value / $0 } }.sorted() }

    /// By how much each value is more than its base, sorted.
    var differences: [Double] { samples.compactMap { s in s.bare.map { s.value - $0 } }.sorted() }

    /// What stands for the figure beside another run: the median ratio, or the median value.
    var judged: Double { ratios.median ?? values.median ?? 0 }

    /// Whether it is what the goal asks for.
    var isMet: Bool {
        if goalIsOfValue { return goal.isMet(by: values.median ?? 0) }
        guard case .within = goal, let difference = differences.median else {
            return goal.isMet(by: judged)
        }
        return goal.isMet(by: difference)
    }

    var json: JSONValue {
        .object([
            "id": .string(id), "title": .string(title), "unit": .string(unit),
            "value": JSONValue(values.median), "values": .array(values.map { JSONValue($0) }),
            "ratio": JSONValue(ratios.median), "ratios": .array(ratios.map { JSONValue($0) }),
            "ratioToOwnTables": JSONValue(ownRatios.median),
            "base": .string(base), "difference": JSONValue(differences.median),
            "goal": .string(goal.text), "isMet": .bool(isMet), "absence": JSONValue(absence),
            "stolen": JSONValue(stolen),
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
