import SluiceModel
import SluiceStore

extension Engine {
    /// In memory, where everybody lives.
    static let sociable = Engine(
        name: "memory where all live",
        make: { _, faults, _ in MemoryStore(faults: faults) { _ in true } },
        readOnly: { _, store in (store as? MemoryStore)?.readOnly() ?? store })

    /// The engines with a direct dispatch on enqueue.
    static let offering = [sociable, sqlite]
}

/// A store with an idle runner that offers its slots.
struct OfferScene {
    let bench: Bench
    let attachment: Attachment

    var runner: ProcessID { attachment.process.id }

    init(_ engine: Engine, slots: Int = 2) throws {
        bench = try Bench(engine)
        try bench.makeQueue { $0.concurrency = 8 }
        attachment = try Attachment(to: bench.store, role: .runner, now: bench.now) {
            $0.slots = slots
        }
        try offer(slots)
    }

    @discardableResult
    func offer(
        _ slots: Int = 2, inFlight: Int = 0, begun: Set<TaskID> = []
    ) throws -> [TaskID] {
        var request = ClaimRequest(runner: runner, freeSlots: slots, inFlight: inFlight)
        request.isOffering = true
        request.begun = begun
        return try bench.claim(request).map(\.task.id)
    }

    func owners(_ ids: [TaskID]) throws -> [ProcessID?] {
        try ids.map { try bench.task($0).running?.owner }
    }

    func slotOffers() throws -> [SlotOffer] { try bench.read { try $0.slotOffers() } }
}
