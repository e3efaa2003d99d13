import QueueModel

/// The store's counters: read at the first use, written once for each commit that took some.
package struct Counters {
    /// What is counted; the names in `sluice_number`.
    enum Name: String {
        case task, number, journal, queue
    }

    /// Asks for all of them at once.
    package static let all = Query("SELECT name, value FROM sluice_number")

    private var values: [Name: Int64] = [:]
    private var taken: Set<Name> = []

    private enum SQL {
        static let write = Query("UPDATE sluice_number SET value = ? WHERE name = ?")
    }

    /// Takes `count` numbers and gives the first.
    mutating func take(
        _ name: Name, _ count: Int, _ connection: any TableConnection
    ) throws(QueueError) -> Int64 {
        if values.isEmpty { try read(connection) }
        guard let value = values[name] else {
            throw StoredFields.damage("the counter \(name.rawValue)")
        }
        values[name] = value + Int64(count)
        if count > 0 { taken.insert(name) }
        return value + 1
    }

    private mutating func read(_ connection: any TableConnection) throws(QueueError) {
        let row = try connection.prepare(Self.all)
        defer { row.reset() }
        while try row.next() {
            if let name = Name(rawValue: row.text(0)) { values[name] = row.integer(1) }
        }
    }

    mutating func write(_ connection: any TableConnection) throws(QueueError) {
        for name in taken {
            guard let value = values[name] else { continue }
            let row = try connection.prepare(SQL.write)
            row.bind(value)
            row.bind(name.rawValue)
            try row.run()
        }
        taken.removeAll(keepingCapacity: true)
    }
}
