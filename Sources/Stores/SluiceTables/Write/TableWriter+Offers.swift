import SluiceModel
import SluiceStore

/// Offers of free slots (A1).
extension TableWriter {
    private enum SQL {
        static let put = Query(
            .insert(
                into: "sluice_offer", ["process", "slots", "in_hand", "priority", "handed"],
                replacing: ["process"]))
        static let remove = Query(.delete(from: "sluice_offer", where: ["process"]))
    }

    func put(_ offer: SlotOffer) throws {
        let row = try connection.prepare(SQL.put)
        row.bind(offer.process)
        row.bind(offer.slots)
        row.bind(offer.inFlight)
        row.bind(offer.priority)
        row.bind(offer.handed.map(String.init).joined(separator: " "))
        try row.run()
        memory.offers = nil
    }

    func removeOffer(of process: ProcessID) throws {
        guard connection.hasOffers else { return }
        if memory.offers?.contains(where: { $0.process == process }) == false { return }
        try change(SQL.remove, process)
        memory.offers = nil
    }
}

extension TableReader {
    private enum SQL {
        static let offers = Query(
            "SELECT process, slots, in_hand, priority, handed FROM sluice_offer ORDER BY process")
    }

    func storedOffers() throws(QueueError) -> [SlotOffer] {
        guard connection.hasOffers else { return [] }
        let row = try connection.prepare(SQL.offers)
        defer { row.reset() }
        var found: [SlotOffer] = []
        while try row.next() {
            found.append(
                SlotOffer(
                    process: row.integer(0), slots: row.int(1), inFlight: row.int(2),
                    priority: row.integer(3),
                    handed: row.text(4).split(separator: " ").compactMap { TaskID($0) }))
        }
        return found
    }
}
