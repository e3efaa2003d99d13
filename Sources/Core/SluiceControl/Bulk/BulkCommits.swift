import SluiceModel
import SluiceStore

/// The commits of a bulk that wrote an event each, the first one first (D10).
struct BulkCommits: Sendable {
    private var all: [(event: Int64, tasks: Int)] = []

    /// Notes a commit, and how many tasks it changed.
    mutating func record(event: Int64?, tasks: Int) {
        if let event { all.append((event, tasks)) }
    }

    /// Whether there are several commits. The journal keeps the newest at any size, so a single
    /// commit loses nothing.
    var areSeveral: Bool { all.count > 1 }

    /// The warning that undo covers only the newest commits, because the journal keeps a limited
    /// number of bytes; `nil` if it covers all.
    func loss(in store: any StoreReader) throws -> String? {
        let lost = try all.prefix { try store.event($0.event)?.hasLostImages == true }
        guard !lost.isEmpty else { return nil }
        let left = all.dropFirst(lost.count).reduce(0) { $0 + $1.tasks }
        let kept = SizeText.compact(Int(try store.storeRecord().journalBytes))
        return "only the newest \(NumberText.grouped(left)) of them can be undone: of the states "
            + "before the verbs \(kept) are kept; sluice init --journal SIZE keeps more from now on"
    }
}
