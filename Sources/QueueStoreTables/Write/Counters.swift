import QueueModel

/// The store's counters: read at the first use, written once for each commit that took some.
struct Counters {
    /// What is counted; the names in `sluice_number`.
    enum Name: String {
        case task, number, journal, queue
    }

    private var values: [Name: Int64] = [:]
    private var taken: Set<Name> = []

    private enum SQL {
        static let read = Query("SELECT value FROM sluice_number WHERE name = ?")
        static let write = Query("UPDATE sluice_number SET value = ? WHERE name = ?")
    }

    /// Takes `count` numbers and gives the first.
    mutating func take(
        _ name: Name, _ count: Int, _ connection: any TableConnection
    ) throws(QueueError) -> Int64 {
        let value: Int64
        if let known = values[name] { value = known } else { value = try stored(name, connection) }
        values[name] = value + Int64(count)
        if count > 0 { taken.insert(name) }
        return value + 1
    }

    private func stored(_ name: Name, _ connection: any TableConnection) throws(QueueError) -> Int64
    {
        let row = try connection.prepare(SQL.read)
        defer { row.reset() }
        row.bind(name.rawValue)
        guard try row.next() else { throw StoredFields.damage("the counter \(name.rawValue)") }
        return row.integer(0)
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
