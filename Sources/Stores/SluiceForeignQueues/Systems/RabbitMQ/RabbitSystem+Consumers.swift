import SluiceModel
import SluicePlatform

/// Holds and steps of queues whose consumers are not workers of Celery.
///
/// The keeper is the first consumer of the queue, so that the others get nothing. Only the keeper
/// can let a message pass: it ends its consumer for that moment.
extension RabbitSystem {
    /// The order to a keeper to let the task in the side queue pass.
    static let stepOrder = "step"

    /// The form of a queue's hold.
    func form(of queue: String) throws -> RabbitForm {
        RabbitForm(held: try told(RabbitPlaces.held(queue)))
    }

    /// The possible form of a hold. The obstacle is the reason why the bindings must stay.
    func plan(
        _ queue: String, _ workers: [(worker: String, queues: [String])]
    ) throws -> (form: RabbitForm, obstacle: String?) {
        // The interface knows later than the broker which consumers there are.
        let consumers = try session().depth(of: queue)?.consumers ?? 0
        let own = workers.count { $0.queues.contains(queue) }
        if consumers <= own, try own > 0 || !broadcast().controls().isEmpty {
            return (.celery, nil)
        }
        let seal = RabbitSeal(management: management)
        let (bindings, obstacle) = try seal.plan(queue)
        if let obstacle = try obstacle ?? seal.prepare(bindings, by: try session()) {
            return (.consumers(sealed: []), obstacle)
        }
        return (.consumers(sealed: bindings), nil)
    }

    /// The consequences of a hold, without the place of the tasks.
    func consequences(
        _ form: RabbitForm, turned: Int, taken: Int64, _ obstacle: String?
    ) -> [String] {
        var said: [String] = []
        if form.isOfConsumers {
            let names = Set(form.sealed.map(\.exchange)).sorted().joined(separator: ", ")
            let why = obstacle.map { ": \($0)" } ?? ""
            said.append(
                form.sealed.isEmpty
                    ? "a task that arrives within milliseconds of a step may run with it\(why)"
                    : "until resume, \(names) brings new tasks to the held ones; one that names no "
                        + "exchange may run with a step")
        } else if turned == 0 {
            said.append(
                "no worker answered: the process that holds it takes new tasks before others do")
        }
        guard taken > 0 else { return said }
        return said + [
            form.isOfConsumers
                ? "about \(taken) that consumers have taken already run on"
                : "about \(taken) that workers have taken already, those with an eta among them, "
                    + "run on"
        ]
    }

    /// Moves one task to the side queue, and orders the keeper to let it pass.
    func stepConsumers(
        _ queue: String, task reference: String?, _ limits: StepLimits
    ) throws -> ForeignStep? {
        try checkQueue(queue)
        guard try isKept(queue) else {
            throw QueueError.notLegal(
                "the process that holds \(queue) has ended",
                fix: "sluice \(ShellWord.command("pause", queue)) starts it again")
        }
        guard try session().depth(of: queue)?.consumers ?? 0 > 1 else {
            throw QueueError.notLegal(
                "no consumer serves \(queue)", fix: "sluice workers shows the consumers there are")
        }
        let began = SystemClock.monotonicMilliseconds()
        guard let task = try putAside(queue, reference) else { return nil }
        switch try order(queue, limits) {
        case .taken:
            var step = ForeignStep(
                task: task, outcome: nil, error: nil,
                milliseconds: SystemClock.monotonicMilliseconds() - began)
            step.note = "a consumer took it; a broker does not say how it ends"
            return step
        case .refused:
            throw QueueError.notLegal(
                "no consumer of \(queue) took \(task.reference) in "
                    + "\(DurationText.short(limits.takeMilliseconds)); it is held again, and comes "
                    + "last", fix: "sluice workers shows who serves it")
        case .missing:
            _ = try takeBack(queue)
            throw QueueError(
                .changed, "the process that holds \(queue) did not let \(task.reference) pass",
                fix: "sluice \(ShellWord.command("list", queue)) shows where it is")
        }
    }

    private func putAside(_ queue: String, _ reference: String?) throws -> ForeignTask? {
        try takeHeld(queue, reference) { shelf, found in
            let held = RabbitPlaces.held(queue)
            try shelf.move(found.delivery, from: held, to: RabbitPlaces.side(queue), .aside)
        }
    }

    private func order(_ queue: String, _ limits: StepLimits) throws -> RabbitPassage {
        let link = try AMQPConnection(management.address, name: "sluice step \(queue)")
        defer { link.close() }
        var random = SystemRandom()
        let replies = "sluice.step.\(CeleryRemote.uuid(&random))"
        try link.declareExclusive(replies)
        try link.consume(
            replies, as: RabbitPlaces.tagPrefix + "replies", ahead: 1, acknowledges: false)
        let order: JSONValue = [
            "verb": .string(Self.stepOrder), "reply": .string(replies),
            "milliseconds": .integer(limits.takeMilliseconds),
        ]
        try link.publish(
            try AMQPContent(json: order), exchange: "", key: RabbitPlaces.keeper(queue),
            mandatory: false)
        // The keeper moves arrivals first, then waits for a consumer up to the limit.
        let patience = Int(clamping: limits.takeMilliseconds) + 10_000
        guard let reply = try link.next(within: patience),
            let word = (try? JSONValue.parse(reply.content.body))?["passage"]?.string
        else { return .missing }
        return RabbitPassage(rawValue: word) ?? .missing
    }
}

/// The result of an order to let a task pass.
enum RabbitPassage: String {
    case taken
    /// No consumer took it in time; it is held again.
    case refused
    /// It was not there, or its queue is deleted.
    case missing
}
