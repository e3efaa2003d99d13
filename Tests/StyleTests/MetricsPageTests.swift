import SluiceModel
import SluiceRunner
import SluiceStore
import Testing

/// The promises of docs/operations.md and the board about metrics.
@Suite("documents: metrics")
struct MetricsPageTests {
    /// The metric families, and the names of their samples.
    private static func names() throws -> (tables: Set<String>, samples: Set<String>) {
        let now = Timestamp(milliseconds: 1_800_000_000_000)
        let store = try MemoryStore().readBlocking { try $0.metricFamilies(at: now) }
        var (tables, samples): (Set<String>, Set<String>) = ([], [])
        for family in store + TaskMetrics().families {
            switch family.kind {
            case .counter: samples.insert("\(family.name)_total")
            case .gauge, .gaugeHistogram: samples.insert(family.name)
            case .histogram: samples.insert("\(family.name)_bucket")
            }
            tables.insert(family.kind == .counter ? "\(family.name)_total" : family.name)
        }
        return (tables, samples)
    }

    private static func named(in text: String) -> Set<String> {
        Set(text.matches(of: /sluice_[a-z_]*[a-z]/).map { String($0.output) })
    }

    @Test("the page has a row for every family, and no other")
    func page() throws {
        let rows = try SourceTree.text("docs/operations.md").split(separator: "\n")
            .filter { $0.hasPrefix("| `sluice_") }
            .compactMap { $0.split(separator: "`").dropFirst().first.map(String.init) }
        let tables = try Self.names().tables
        #expect(Set(rows) == tables && rows.count == tables.count)
    }

    @Test("the board is JSON, and asks for families that there are")
    func board() throws {
        let text = try SourceTree.text("docs/grafana-board.json")
        let board = try JSONValue.parse(text)
        let panels = board["panels"]?.array ?? []
        #expect(panels.count > 8)
        let expressions = panels.flatMap { $0["targets"]?.array ?? [] }
            .compactMap { $0["expr"]?.string }
        #expect(expressions.count >= panels.count)
        let asked = expressions.reduce(into: Set<String>()) { $0.formUnion(Self.named(in: $1)) }
        let samples = try Self.names().samples
        #expect(asked.subtracting(samples) == [])
        let alerts = try SourceTree.text("docs/operations.md").split(separator: "## Alerts\n").last
        let wanted = Self.named(in: String(try #require(alerts)))
        #expect(wanted.count > 3 && wanted.subtracting(samples) == [])
    }
}
