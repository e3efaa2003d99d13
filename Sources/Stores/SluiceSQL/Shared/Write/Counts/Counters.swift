import SluiceModel

/// The store's counters: read at the first use, written once for each commit that took some.
package struct Counters {
    enum Name: String, CaseIterable {
        case task, number, journal, queue

        /// Its place among the tallies of queue 0, which no queue is.
        fileprivate var waitFlags: Int {
            switch self {
            case .task: 0
            case .number: 1
            case .journal: 2
            case .queue: 3
            }
        }
    }

    /// Reads all of them in one query. In a file they are rows of the tallies, which most commits
    /// change anyway: each commit writes one page less.
    package static let all = Query(
        "SELECT \(word), n FROM sluice_tally WHERE queue = 0 AND state = 0",
        other: "SELECT name, value FROM sluice_number")

    private static let word =
        "CASE lane"
        + Name.allCases.map { " WHEN \($0.waitFlags) THEN '\($0.rawValue)'" }.joined() + " END"

    private struct Counter {
        let name: Name
        var value: Int64
        var isTaken = false
    }

    /// The few that there are, found by looking at each.
    private var counters: [Counter] = []

    private static let write = Query(
        "UPDATE sluice_tally SET n = ? WHERE queue = 0 AND state = 0 AND lane = ?",
        other: written.sql, change: written)
    private static let written = RowChange.update("sluice_number", ["value"], where: ["name"])

    /// Takes `count` numbers and gives the first.
    mutating func take(
        _ name: Name, _ count: Int, _ connection: any TableConnection
    ) throws(QueueError) -> Int64 {
        if counters.isEmpty { try read(connection) }
        guard let place = counters.firstIndex(where: { $0.name == name }) else {
            throw StoredFields.damage("the counter \(name.rawValue)")
        }
        let value = counters[place].value
        counters[place].value = value + Int64(count)
        if count > 0 { counters[place].isTaken = true }
        return value + 1
    }

    private mutating func read(_ connection: any TableConnection) throws(QueueError) {
        let row = try connection.prepare(Self.all)
        defer { row.reset() }
        while try row.next() {
            guard let name = Name(rawValue: row.text(0)) else { continue }
            counters.append(Counter(name: name, value: row.integer(1)))
        }
    }

    mutating func write(_ connection: any TableConnection) throws(QueueError) {
        for place in counters.indices where counters[place].isTaken {
            let (name, value) = (counters[place].name, counters[place].value)
            let row = try connection.prepare(Self.write)
            row.bind(value)
            if connection.isRemote { row.bind(name.rawValue) } else { row.bind(name.waitFlags) }
            try row.run()
            counters[place].isTaken = false
        }
    }
}
