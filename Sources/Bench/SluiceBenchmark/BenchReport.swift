import SluiceModel
import SluiceSystem

/// The figures of a run as a table and as JSON, with an optional earlier run for comparison.
struct BenchReport {
    private var figures: [Figure] = []
    private let earlier: [String: Double]
    /// The counts that grew by more than the tolerance, or that only the earlier run has.
    private(set) var regressions: [String] = []

    /// A count of instructions that grew by more than this share is a regression.
    static let instructionTolerance = 0.02

    static let heading =
        row(
            "row", "what", "value", "unit", "ratio", "spread", "own tables", "goal", "met",
            "stolen")

    init(comparedWith path: String?) throws {
        self.init(
            earlier: try path.map { try JSONValue.parse(try Files.read($0, limitBytes: 1 << 24)) }
                ?? .null)
    }

    /// Creates a report that compares with an earlier run's JSON.
    init(earlier json: JSONValue) {
        let pairs = (json["figures"]?.array ?? []).compactMap { figure -> (String, Double)? in
            guard let title = figure["title"]?.string,
                let value = figure["ratio"]?.double ?? figure["value"]?.double
            else { return nil }
            return (title, value)
        }
        earlier = Dictionary(pairs) { first, _ in first }
    }

    mutating func add(_ figure: Figure) -> String {
        figures.append(figure)
        if let absence = figure.absence {
            if figure.isCount, earlier[figure.title] != nil { regressions.append(figure.title) }
            return Self.row(figure.id, figure.title, "-") + "  " + absence
        }
        let ratios = figure.ratios
        let spread = ratios.isEmpty ? figure.values : ratios
        let edges = [spread.first, spread.last].compactMap { $0.map(Figure.short) }
        var line = Self.row(
            figure.id, figure.title, Figure.short(figure.values.median ?? 0), figure.unit,
            ratios.median.map(Figure.short) ?? "", edges.joined(separator: "…"),
            figure.ownRatios.median.map(Figure.short) ?? "", figure.goal.text,
            figure.goal == .none ? "" : figure.isMet ? "yes" : "NO",
            figure.stolen.map { "\(Int(($0 * 100).rounded())) %" } ?? "")
        line += comparison(figure)
        return line
    }

    /// The change since the earlier run. Only instruction counts, which are stable, can be
    /// regressions.
    private mutating func comparison(_ figure: Figure) -> String {
        guard let before = earlier[figure.title], before != 0 else { return "" }
        let change = figure.judged / before - 1
        let percent = (change * 1000).rounded() / 10
        var text = "  \(percent >= 0 ? "+" : "")\(percent) % against the earlier run"
        if figure.isCount, change > Self.instructionTolerance {
            text += ": REGRESSION"
            regressions.append(figure.title)
        }
        return text
    }

    /// How many goals were met, and which were not.
    var summary: String {
        let judged = figures.filter { $0.goal != .none && $0.absence == nil }
        let missed = judged.filter { !$0.isMet }.map { "\($0.id) \($0.title)" }
        let met = "\(judged.count - missed.count) of \(judged.count) goals met"
        return missed.isEmpty ? met : "\(met); missed: \(missed.joined(separator: "; "))"
    }

    var json: JSONValue { .object(["figures": .array(figures.map(\.json))]) }

    private static func row(_ words: String...) -> String {
        let widths = [3, 60, 9, 9, 7, 15, 10, 8, 3, 6]
        return zip(words, widths).map { word, width in
            word + String(repeating: " ", count: max(0, width - word.count))
        }.joined(separator: " ")
    }
}
