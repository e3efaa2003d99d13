import SluiceModel

/// A measurement with several repetitions, each next to the raw loop.
struct Figure {
    /// The goal for the ratio, or for the value without a base.
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

    /// A repetition: the value, and the results of the loops on the bare table and on Sluice's
    /// tables at the same time.
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
    /// The base of the ratio, which `bare` measures.
    var base = "the raw loop"
    /// The reason why there is no measurement; `nil` if there is one.
    var absence: String?
    /// Whether the goal applies to the value despite a base.
    var goalIsOfValue = false
    /// The fraction of processor time that other guests of the host took.
    var stolen: Double?
    /// Whether it counts what does not vary from run to run.
    var isCount = false

    /// The values and the ratios to the bare loop and to the own one, each sorted.
    var values: [Double] { samples.map(\.value).sorted() }
    var ratios: [Double] { samples.compactMap { s in s.bare.map { s.value / $0 } }.sorted() }
    var ownRatios: [Double] { samples.compactMap { s in s.own.map { s.value / $0 } }.sorted() }

    /// By how much each value is more than its base, sorted.
    var differences: [Double] { samples.compactMap { s in s.bare.map { s.value - $0 } }.sorted() }

    /// The number to compare with another run: the median ratio, or the median value.
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
    /// The median of sorted numbers, if any.
    var median: Double? { isEmpty ? nil : self[count / 2] }

    /// The percentile of the numbers, sorted or not.
    func percentile(_ percent: Int) -> Double {
        let sorted = sorted()
        return sorted.isEmpty ? 0 : sorted[Swift.min(count - 1, count * percent / 100)]
    }
}
