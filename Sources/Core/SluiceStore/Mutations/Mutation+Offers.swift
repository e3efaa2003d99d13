package import SluiceModel

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
