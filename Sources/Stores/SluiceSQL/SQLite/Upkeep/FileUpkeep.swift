import SluiceCSQLite
import SluiceModel
import SluiceStore
import SluiceSystem

/// Maintenance of a store's file outside of bodies.
struct FileUpkeep: StoreUpkeep {
    let path: String

    var damage: String? { DamageMark(path).finding }

    func record(damage: String) { DamageMark(path).put(damage) }

    func forgetDamage() { DamageMark(path).remove() }

    func repair() throws -> [String] { try FileRepair(path: path).run() }

    func room() throws -> StoreRoom {
        let reader = try Connection(path: path, mode: .readOnly)
        let pageBytes = try reader.number("PRAGMA page_size")
        var room = StoreRoom(
            bytes: try reader.number("PRAGMA page_count") * pageBytes,
            freeBytes: try reader.number("PRAGMA freelist_count") * pageBytes)
        room.logBytes = Int64((try? Files.status("\(path)-wal"))?.sizeBytes ?? 0)
        room.tables = try tables(reader)
        return room
    }

    /// By the pages of each b-tree, where this SQLite can tell them.
    private func tables(_ reader: Connection) throws(QueueError) -> [StoreRoom.Table] {
        let modules = try reader.rows(
            once: "SELECT name FROM pragma_module_list WHERE name = 'dbstat'"
        ) { $0.text(0) }
        guard !modules.isEmpty else { return [] }
        return try reader.rows(
            once: """
                SELECT coalesce(s.tbl_name, d.name), sum(d.pgsize)
                FROM dbstat d LEFT JOIN sqlite_schema s ON s.name = d.name
                WHERE d.aggregate = TRUE GROUP BY 1 ORDER BY 2 DESC, 1
                """
        ) { StoreRoom.Table(name: $0.text(0), bytes: $0.integer(1)) }
    }

    /// Rewrites the used pages in sequence while writers wait. The duration depends on the used
    /// size, not on the size of the file.
    func compact(evenIfLong: Bool) throws -> StoreRoom {
        try DamageMark(path).check()
        let connection = try Connection(path: path, mode: .readWrite)
        let foreign = try connection.rows(
            once: "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT GLOB 'sluice_*'"
                + " AND name NOT GLOB 'sqlite_*' LIMIT 1"
        ) { $0.text(0) }
        if let table = foreign.first {
            throw QueueError.notLegal(
                "\(path) holds tables of an application too, such as \(table), whose rows this "
                    + "could number anew",
                fix: "let the application run VACUUM, where it knows its tables")
        }
        let pages =
            try connection.number("PRAGMA page_count") - connection.number("PRAGMA freelist_count")
        let used = pages * (try connection.number("PRAGMA page_size"))
        guard evenIfLong || used <= Self.usedBytesAtOnce else {
            throw QueueError.notLegal(
                "\(path) has \(used >> 20) MiB in use: to compact it would hold up everybody who "
                    + "writes for about \(max(1, used / Self.bytesPerSecond)) s",
                fix: "sluice compact --now does it all the same")
        }
        let isSmall = used <= Self.usedBytesAtOnce
        try connection.execute("PRAGMA temp_store = \(isSmall ? "MEMORY" : "FILE"); VACUUM")
        // Active readers keep the log; a later checkpoint then truncates it.
        connection.busyWait.isImpatient = true
        _ = try connection.rows(once: "PRAGMA wal_checkpoint(TRUNCATE)") { $0.integer(0) }
        return try room()
    }

    /// The largest used size that it rewrites without `evenIfLong`.
    private static let usedBytesAtOnce: Int64 = 64 << 20
    private static let bytesPerSecond: Int64 = 64 << 20
}

extension Connection {
    /// The number that a statement gives.
    func number(_ sql: String) throws(QueueError) -> Int64 {
        try rows(once: sql) { $0.integer(0) }.first ?? 0
    }
}
