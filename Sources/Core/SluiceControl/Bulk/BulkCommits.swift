import SluiceModel
import SluiceStore

/// The commits of a bulk that wrote an event each, the first one first (D10).
struct BulkCommits: Sendable {
    private var all: [(event: Int64, tasks: Int)] = []

    /// Notes a commit, and how many tasks it changed.
    mutating func note(event: Int64?, tasks: Int) {
        if let event { all.append((event, tasks)) }
    }

    /// Whether there are several: the newest is kept, however large it is, so that nothing is lost
    /// of one.
    var areSeveral: Bool { all.count > 1 }

    /// That only the newest of them can be taken back, for of what was before the verbs the journal
    /// keeps so many bytes (D9); nil where all can be.
    func loss(in store: any StoreReader) throws -> String? {
        let lost = try all.prefix { try store.event($0.event)?.hasLostImages == true }
        guard !lost.isEmpty else { return nil }
        let left = all.dropFirst(lost.count).reduce(0) { $0 + $1.tasks }
        let kept = SizeText.compact(Int(try store.storeRecord().journalBytes))
        return "only the newest \(NumberText.grouped(left)) of them can be taken back: of what was "
            + "before the verbs \(kept) are kept; sluice init --journal SIZE keeps more from now on"
    }
}
