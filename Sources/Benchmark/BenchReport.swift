import Platform
import QueueModel

/// The figures of a run as a table and as JSON, beside an earlier run where one is given.
struct BenchReport {
    private var figures: [Figure] = []
    private let earlier: [String: Double]

    static let heading =
        row("row", "what", "value", "unit", "ratio", "spread", "own tables", "goal", "")

    init(comparedWith path: String?) throws {
        guard let path else {
            earlier = [:]
            return
        }
        let json = try JSONValue.parse(try Files.read(path, limitBytes: 1 << 24))
        let pairs = (json["figures"]?.array ?? []).compactMap { figure -> (String, Double)? in
            guard let title = figure["title"]?.string,
                let value = figure["ratio"]?.double ?? figure["value"]?.double
            else { return nil }
            return (title, value)
        }
        earlier = Dictionary(pairs) { first, _ in first }
    }

    /// The line of one more figure.
    mutating func add(_ figure: Figure) -> String {
        figures.append(figure)
        let ratios = figure.ratios
        let spread = ratios.isEmpty ? figure.values : ratios
        let edges = [spread.first, spread.last].compactMap { $0.map(Figure.short) }
        var line = Self.row(
            figure.id, figure.title, Figure.short(figure.values.median ?? 0), figure.unit,
            ratios.median.map(Figure.short) ?? "", edges.joined(separator: "…"),
            figure.ownRatios.median.map(Figure.short) ?? "", figure.goal.text,
            figure.goal == .none ? "" : figure.isMet ? "met" : "MISSED")
        if let before = earlier[figure.title], before != 0 {
            let change = Int(((figure.judged / before - 1) * 100).rounded())
            line += "  \(change >= 0 ? "+" : "")\(change) % against the earlier run"
        }
        return line
    }

    /// All figures.
    var json: JSONValue { .object(["figures": .array(figures.map(\.json))]) }

    private static func row(_ words: String...) -> String {
        let widths = [4, 58, 9, 8, 7, 15, 10, 7, 6]
        return zip(words, widths).map { word, width in
            word + String(repeating: " ", count: max(0, width - word.count))
        }.joined(separator: " ")
    }
}
