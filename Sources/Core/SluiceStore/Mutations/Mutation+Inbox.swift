package import SluiceModel

/// Converts the rows of an application's own transaction into the effects of Sluice's own verbs
/// (T4).
extension Mutation {
    /// The actor of events for an application's SQL.
    package static let applicationName = "application"

    /// Takes in rows of an inbox, in order. A refused row stays in its table with a mark and does
    /// not block others.
    ///
    /// The rows committed together with the application's own work. So, as for a follow-up (A3), a
    /// full queue or an enqueue pause does not refuse them, and `reject` acts as `keep`.
    package func takeIn(_ entries: [InboxEntry], from inbox: any InboxWriter) throws {
        var intake = InboxIntake(mutation: self, inbox: inbox)
        for entry in entries { try intake.take(entry) }
        try intake.flush()
        try intake.writeJournal()
    }

    /// Leaves a row where it is, marked with why it cannot be taken in.
    package func refuse(
        _ entry: InboxEntry, _ error: QueueError, in inbox: any InboxWriter
    ) throws {
        try InboxIntake(mutation: self, inbox: inbox).refuse(entry, error)
    }
}

/// One slice of an inbox. Adjacent tasks for one queue become one enqueue.
private struct InboxIntake {
    let mutation: Mutation
    let inbox: any InboxWriter
    private var queue: String?
    private var requests: [EnqueueRequest] = []
    private var arrived = 0
    private var gone: [TaskID] = []
    private var queues: Set<String> = []

    init(mutation: Mutation, inbox: any InboxWriter) {
        self.mutation = mutation
        self.inbox = inbox
    }

    mutating func take(_ entry: InboxEntry) throws {
        var settings = QueueSettings()
        if case .task(let name, _) = entry.content {
            // The enqueue will create a missing queue with default settings (Q11).
            settings = try mutation.store.queue(named: name)?.settings ?? settings
        }
        do throws(QueueError) {
            try look(at: entry, settings)
        } catch {
            return try refuse(entry, error)
        }
        switch entry.content {
        case .task(let name, let request):
            if name != queue { try flush() }
            queue = name
            requests.append(request)
        case .removal(let id):
            try flush()
            if let task = try mutation.store.task(id) { try remove(task) }
        case .keyRemoval(let name, let type, let key):
            try flush()
            try inbox.removeRefusedRows(queue: name, type: type, key: key)
            let holders = try mutation.store.uniqueHolders(
                queue: name, type: Names.composed(type), key: Names.composed(key),
                includingRunning: true)
            for task in try mutation.store.tasks(holders) { try remove(task) }
        case .unreadable: break
        }
        try inbox.removeInboxRow(entry)
    }

    func refuse(_ entry: InboxEntry, _ error: QueueError) throws {
        try inbox.refuseInboxRow(entry, error.description)
        try journal(
            "row \(entry.row) of \(inbox.name(of: entry.table)) was refused: \(error.message)")
    }

    /// Throws the reason why a row can never be taken in.
    private func look(
        at entry: InboxEntry, _ settings: QueueSettings
    ) throws(QueueError) {
        switch entry.content {
        case .task(let name, let request):
            try Names.check(name, of: "queue")
            try request.check(settings, queue: name)
        case .unreadable(let error): throw error
        case .removal, .keyRemoval: break
        }
    }

    /// Enqueues the collected requests.
    mutating func flush() throws {
        guard let name = queue, !requests.isEmpty else { return }
        let result = try mutation.enqueue(requests, to: name, isEffect: true)
        arrived += result.added.count
        queues.insert(name)
        requests.removeAll(keepingCapacity: true)
    }

    /// The verb `delete`. A running task gets a stop request and is deleted after it stops (D6,
    /// A6). A task in the trash already is no error.
    private mutating func remove(_ task: QueueTask) throws {
        let deletion = Deletion(by: Mutation.applicationName)
        switch task.state {
        case .waiting, .failed, .succeeded: try mutation.apply(.delete(deletion), to: task)
        case .running: try mutation.apply(.requestStop(.deleted, deletion), to: task)
        case .deleted: return
        }
        gone.append(task.id)
        queues.insert(task.queue)
    }

    /// Says what the slice did, with the way back.
    func writeJournal() throws {
        let came = arrived == 1 ? "1 task came in" : "\(arrived) tasks came in"
        let went = gone.count == 1 ? "#\(gone[0]) was removed" : "\(gone.count) tasks were removed"
        switch (arrived, gone.count) {
        case (0, 0): return
        case (_, 0): try journal("\(came) with the application's own work", withUndo: true)
        case (0, _): try journal("\(went) with the application's own work", withUndo: true)
        default: try journal("\(came) and \(went) with the application's own work", withUndo: true)
        }
    }

    private func journal(_ text: String, withUndo: Bool = false) throws {
        let undo = withUndo ? mutation.undo : nil
        try mutation.store.append([
            JournalEvent(
                at: mutation.real, kind: "inbox", queue: queues.count == 1 ? queues.first : nil,
                task: arrived == 0 && gone.count == 1 ? gone.first : nil,
                by: Mutation.applicationName, text: text,
                undo: undo.flatMap { $0.isEmpty ? nil : $0 })
        ])
    }
}

/// Offers of free slots by runners, and their use by enqueues (A1).
extension Mutation {
    /// Claims the tasks enqueued in this write for runners that offered slots, by the normal rules
    /// of a claim. Skips runners with a permit and runners not known to be alive.
    func handOver() throws {
        let names = enqueuedQueues
        enqueuedQueues = []
        guard !names.isEmpty, let lives = store.liveness else { return }
        let offers = try store.slotOffers().filter { $0.slots > 0 && $0.process != claimer }
        guard !offers.isEmpty else { return }
        let permits = try store.permits()
        // The runner with the most free slots comes first.
        for offer in offers.sorted(by: { ($1.slots, $0.process) < ($0.slots, $1.process) }) {
            guard !permits.contains(where: { $0.runner == offer.process }),
                let runner = try store.processes().first(where: { $0.id == offer.process }),
                runner.isWorking
            else { continue }
            let served = try names.sorted().map { try queue($0) }.filter { queue in
                queue.settings.priority >= offer.priority && runner.serves(queue.name)
            }.map(SharedQueue.init)
            guard !served.isEmpty, lives(runner) else { continue }
            let request = ClaimRequest(
                runner: runner.id, freeSlots: offer.slots, inFlight: offer.inFlight)
            let order = TurnOrder(of: served, for: runner, after: request.turn)
            try handOver(order, request, runner, offer)
        }
    }

    private func handOver(
        _ order: TurnOrder, _ request: ClaimRequest, _ runner: ProcessRecord, _ offer: SlotOffer
    ) throws {
        var round = ClaimRound(request: request, runner: runner)
        try claim(in: order, &round)
        guard !round.claimed.isEmpty else { return }
        var rest = offer
        rest.slots = max(0, round.slotsLeft)
        rest.inFlight += round.claimed.count
        rest.handed += round.claimed.map(\.task.id)
        try store.put(rest)
    }

    /// Adds the handed-over tasks that the claiming runner has not started. Returns its offer.
    func claimDispatched(_ round: inout ClaimRound) throws -> SlotOffer? {
        claimer = round.runner.id
        guard store.liveness != nil, let offer = try store.offer(of: round.runner.id)
        else { return nil }
        for task in try store.dispatched(by: offer)
        where !round.request.begun.contains(task.task.id) {
            round.add(task)
        }
        return offer
    }

    /// Offers the slots that a claim left free; withdraws the offer without any.
    func renew(_ standing: SlotOffer?, after round: ClaimRound) throws {
        guard store.liveness != nil else { return }
        var offer: SlotOffer?
        if round.request.isOffering, round.mayTakeMore {
            offer = SlotOffer(
                process: round.runner.id, slots: round.slotsLeft,
                inFlight: round.request.inFlight + round.claimed.count,
                priority: try highestPriority(servedBy: round.runner).map(Int64.init) ?? .min)
        }
        guard offer != standing else { return }
        if let offer { try store.put(offer) } else { try store.removeOffer(of: round.runner.id) }
    }

    /// The largest priority of the queues that a runner serves.
    private func highestPriority(servedBy runner: ProcessRecord) throws -> Int? {
        guard let names = runner.queues else { return try store.highestPriority() }
        return try names.compactMap { try store.queue(named: $0)?.settings.priority }.max()
    }

    /// No slot is offered any more until its runner claims again: another order of the queues
    /// holds.
    func withdrawOffers() throws {
        for var offer in try store.slotOffers() where offer.slots > 0 {
            offer.slots = 0
            try store.put(offer)
        }
    }

    /// Records that a runner stops claiming: removes its offer. Tasks handed over and not in
    /// `begun` wait again, without counting an attempt (A6).
    @discardableResult
    package func announceStop(of id: ProcessID, begun: Set<TaskID>) throws -> [Settled] {
        guard var process = try store.processes().first(where: { $0.id == id }) else { return [] }
        process.isStopping = true
        try store.put(process)
        guard store.liveness != nil, let offer = try store.offer(of: id) else { return [] }
        try store.removeOffer(of: id)
        let left = try store.dispatched(by: offer).filter { !begun.contains($0.task.id) }
        return try settle(
            left.compactMap { claimed in
                claimed.task.running.map {
                    Completion(
                        task: claimed.task.id, token: $0.token, ending: .stopped(.stopped))
                }
            })
    }
}

extension StoreReader {
    /// The tasks that others claimed for a runner since its own last claim, started or not.
    package func dispatched(to runner: ProcessID) throws -> [Claimed] {
        try offer(of: runner).map { try dispatched(by: $0) } ?? []
    }

    func offer(of runner: ProcessID) throws -> SlotOffer? {
        try slotOffers().first { $0.process == runner }
    }

    func dispatched(by offer: SlotOffer) throws -> [Claimed] {
        try tasks(offer.handed).compactMap { task in
            guard let lease = task.running, lease.owner == offer.process else { return nil }
            return try claimed(task, lease, in: try requireQueue(task.queue))
        }
    }
}
