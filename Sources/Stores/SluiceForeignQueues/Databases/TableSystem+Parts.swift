import SluiceModel

/// What a hold moves, part by part: no transaction is longer than a moment, however many rows wait,
/// and where the tool dies between two of them the next one goes on.
extension TableSystem {
    /// Puts away what waits in a queue, the next ones first; gives how many those were.
    func putAside(_ queue: String) throws -> Int {
        let hold = table.hold
        var count = 0
        // What a worker was about to take, and gave back, is found by the next round.
        for _ in 0..<Self.rounds {
            let moved = try each(of: queue, hold.isFree(table.ready), hold.touching, "")
            count += moved
            if moved == 0 { break }
        }
        return count
    }
    private static let rounds = 5

    /// Gives back what is put away, the next ones first. What comes meanwhile is still put away,
    /// and given back by the statement that ends the hold.
    func giveBack(_ queue: String) throws -> Int {
        let hold = table.hold
        return try each(
            of: queue, hold.isHeld(table.ready), row(hold.bringingBack),
            "SELECT set_config('sluice.release', '1', true); \(try table.waking(queue, "0"));")
    }

    /// Sets columns of all rows of a queue that fit a condition, in their order.
    private func each(
        of queue: String, _ condition: String, _ setting: String, _ before: String
    ) throws -> Int {
        let fits = row("\(try table.isIn(queue, desk)) AND \(condition)")
        var (moved, behind) = (0, "")
        while true {
            // Their order is one of an index: to sort all of them for each part would take long.
            let part = try desk.changed(
                "SET LOCAL enable_sort = off; \(before)",
                """
                WITH part AS (
                    SELECT j.id, json_build_array(\(row(table.place))) AS place
                    FROM \(table.table) j WHERE \(fits)\(behind) ORDER BY \(row(table.order))
                    LIMIT \(partSize) FOR UPDATE SKIP LOCKED),
                moved AS (
                    UPDATE \(table.table) j SET \(setting) FROM part
                    WHERE j.id = part.id AND \(row(try table.isIn(queue, desk))) RETURNING 1)
                SELECT json_build_object('seen', (SELECT count(*) FROM part),
                'moved', (SELECT count(*) FROM moved),
                'last', (SELECT json_agg(part.place)->-1 FROM part))::text
                """)
            moved += Int(part?["moved"]?.integer ?? 0)
            guard part?["seen"]?.integer == Int64(partSize),
                let last = part?["last"]?.array, !last.isEmpty
            else { return moved }
            let place = try last.map { try SQLDesk.literal($0.string ?? $0.text) }
            behind = " AND (\(row(table.place))) > (\(place.joined(separator: ", ")))"
        }
    }
}
