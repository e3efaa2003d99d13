import SluiceSQL
import SluiceStore
import SluiceSystem
import SluiceTestSupport
import Testing

/// A store as a program of an older version left it, from `Stores`: the tables by the statements of
/// the versions up to its own, the rows of a store that a program of then wrote.
struct OlderStore: Sendable, CustomTestStringConvertible {
    let version: Int
    /// The database, as in the file names.
    let kind: String

    var testDescription: String { "\(kind) \(version)" }

    static let all = of("sqlite") + (PostgresServer.isInstalled ? of("postgres") : [])

    /// The versions with test data: from the first one with rows to the last one with schema steps.
    private static func of(_ kind: String) -> [OlderStore] {
        guard let first = try? rows(of: kind).first, let last = try? steps(of: kind).count
        else { return [] }
        return (first...last).map { OlderStore(version: $0, kind: kind) }
    }

    /// An engine whose stores begin as this one.
    var engine: Engine {
        Engine(
            name: testDescription,
            make: { folder, faults, _ in
                if kind == "sqlite" {
                    let path = "\(folder)/store.db"
                    try Files.writeAtomically([], to: path)
                    let file = try SQLiteFile(path: path)
                    for statement in try statements() { try file.rows(statement) }
                    return try SQLiteStore.open(path: path, durability: .normal, faults: faults)
                }
                let server = try PostgresServer.shared()
                let schema = server.newName()
                try server.run("CREATE SCHEMA \(schema)")
                for statement in try statements() {
                    try server.run(statement.replacing("sluice.", with: "\(schema)."))
                }
                return try PostgresStore.open(
                    address: server.address, schema: schema, machineFolder: folder,
                    durability: .normal, faults: faults)
            },
            readOnly: { _, store in store })
    }

    /// The statements that create it: the steps before the rows, the rows, and the later steps.
    private func statements() throws -> [String] {
        let written = try Self.rows(of: kind).last { $0 <= version }
        let steps = try Self.steps(of: kind)
        let number = try #require(written)
        let name = "\(kind)-\(number < 10 ? "0" : "")\(number)"
        let table = kind == "sqlite" ? "sluice_schema" : "sluice.schema"
        return steps[..<number].joined() + Self.statements(try Self.text(name)[...])
            + steps[number..<version].joined()
            + ["UPDATE \(table) SET version = \(version)"]
    }

    /// The statements of each version.
    private static func steps(of kind: String) throws -> [[String]] {
        try text("\(kind)-steps").split(separator: "-- ").map { step in
            statements(step.drop { $0 != "\n" }.dropFirst())
        }
    }

    /// The versions whose programs wrote the rows.
    private static func rows(of kind: String) throws -> [Int] {
        try Files.list(folder).sorted().filter { $0.hasPrefix(kind) }
            .compactMap { Int($0.dropFirst(kind.utf8.count + 1).prefix(2)) }
    }

    /// A blank line follows each statement. Trigger bodies contain none.
    private static func statements(_ text: Substring) -> [String] {
        text.split(separator: ";\n\n").map(String.init)
    }

    private static func text(_ name: String) throws -> String {
        let bytes = try Files.read("\(folder)/\(name).sql", limitBytes: 1 << 20)
        return String(decoding: bytes, as: UTF8.self)
    }

    private static let folder = Files.parent(of: #filePath) + "/../Stores"
}
