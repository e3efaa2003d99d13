import SluiceModel
import SluiceSystem

/// Holding, stepping and giving back queues of Celery.
extension RabbitSystem: QueueKeeping {
    /// The most waiting messages that a hold moves aside.
    static let holdLimit = 200_000
    /// The place of a guard among the consumers of a queue: before all others.
    static let priority: Int64 = 1000
    private static let startMilliseconds: Int64 = 20_000
    private static let endMilliseconds: Int64 = 10_000

    func told(_ queue: String) throws -> JSONValue? {
        try allTold().first { $0["name"]?.string == queue }
    }

    /// Whether a process holds a queue: its own queue is another connection's.
    func isKept(_ queue: String) throws -> Bool {
        do {
            return try session().depth(of: RabbitPlaces.keeper(queue)) != nil
        } catch let error as AMQPError where error.code == 405 {
            return true
        }
    }

    func isHeld(_ queue: String) throws -> Bool {
        try session().depth(of: RabbitPlaces.held(queue)) != nil
    }

    func hold(_ queue: String, _ note: HoldNote) throws -> ForeignAnswer {
        guard let told = try told(queue) else { throw QueueError.unknownForeignQueue(queue) }
        let isNew = try !isHeld(queue)
        guard try isNew || !isKept(queue) else { throw QueueError.heldAlready(queue) }
        let workers = try broadcast().queues()
        try checkHold(queue, told)
        let plan = try isNew ? plan(queue, workers) : (form: try form(of: queue), obstacle: nil)
        let link = try AMQPConnection(management.address, name: "sluice pause \(queue)")
        defer { link.close() }
        if isNew {
            try link.delete(RabbitPlaces.slipped(queue), isForced: true)
            do {
                try declareHeld(queue, told, note, plan.form, by: link)
            } catch {
                try? RabbitSeal(management: management).lift(plan.form.sealed, queue, by: link)
                throw error
            }
        }
        try declareWays(queue, told, plan.form, by: link)
        let guardTag = RabbitPlaces.tagPrefix + "guard"
        let waiting = try link.depth(of: queue)?.ready ?? 0
        try link.beginTransactions()
        try link.consume(queue, as: guardTag, ahead: RabbitShelf.ahead, priority: Self.priority)
        let turned = try plan.form.isOfConsumers ? 0 : broadcast().turnAside(queue, among: workers)
        let shelf = RabbitShelf(link: link)
        let held = RabbitPlaces.held(queue)
        // Messages may arrive without a pause; the keeper moves them.
        try shelf.moveAll(from: queue, to: held, .aside, limit: waiting)
        try startKeeper(queue)
        try RabbitSeal(management: management).set(plan.form.sealed, queue, by: try session())
        try link.cancel(guardTag)
        try shelf.moveAll(from: queue, to: held, .aside, isEnded: true)
        var answer = ForeignAnswer()
        answer.consequences = consequences(
            plan.form, turned: turned, taken: told["messages_unacknowledged"]?.integer ?? 0,
            plan.obstacle)
        answer.consequences.append("its own tools show an empty queue; the tasks lie in \(held)")
        return answer
    }

    /// Throws the reason if a queue cannot be held.
    private func checkHold(_ queue: String, _ told: JSONValue) throws {
        func refuse(_ why: String, _ fix: String = "") -> QueueError {
            .notLegal("\(queue) cannot be held: \(why)", fix: fix)
        }
        guard ["classic", "quorum", nil].contains(told["type"]?.string) else {
            throw refuse("it is a \(told["type"]?.string ?? "")")
        }
        guard told["exclusive"]?.bool != true else {
            throw refuse("one connection alone may take from it")
        }
        for bound in ["max-length", "max-length-bytes"]
        where told["arguments"]?["x-\(bound)"] != nil
            || told["effective_policy_definition"]?[bound] != nil
        {
            throw refuse("it has a \(bound), so that giving back could lose messages")
        }
        let ready = told["messages_ready"]?.integer ?? 0
        guard ready <= Self.holdLimit else {
            throw refuse("\(ready) messages wait; at most \(Self.holdLimit) are moved aside")
        }
    }

    /// Declares the queue for held messages. Throws if a policy would lose messages.
    private func declareHeld(
        _ queue: String, _ told: JSONValue, _ note: HoldNote, _ form: RabbitForm,
        by link: AMQPConnection
    ) throws {
        let held = RabbitPlaces.held(queue)
        try declareAside(held, told, note, form, by: link)
        let kept = try self.told(held).flatMap(RabbitPlaces.hold)
        guard kept?.by == note.by, kept?.since == note.since else {
            throw QueueError.heldAlready(queue)
        }
    }

    /// Declares what a hold moves its messages by.
    private func declareWays(
        _ queue: String, _ told: JSONValue, _ form: RabbitForm, by link: AMQPConnection
    ) throws {
        try RabbitPlaces.declareFan(RabbitPlaces.held(queue), by: link)
        guard form.isOfConsumers else {
            return try RabbitPlaces.declareWays(of: queue, by: link)
        }
        try RabbitPlaces.declareFan(queue, by: link)
        try declareAside(RabbitPlaces.side(queue), told, nil, by: link)
    }

    private func startKeeper(_ queue: String) throws {
        guard try !isKept(queue) else { return }
        try keepers.launch(name, queue)
        let deadline = SystemClock.monotonicMilliseconds() + Self.startMilliseconds
        while try !isKept(queue) {
            guard SystemClock.monotonicMilliseconds() < deadline else {
                throw QueueError(
                    .denied, "the process that holds \(queue) did not start",
                    fix: "held tasks are returned by "
                        + "sluice \(ShellWord.command("resume", queue))")
            }
            _ = try Poll.wait(fds: [], timeoutMilliseconds: 10)
        }
    }

    /// Holds a queue in this process until its hold ends.
    func keep(_ queue: String) throws { try RabbitKeeper(self, queue).run() }

    func step(_ queue: String, task: String?, limits: StepLimits) throws -> ForeignStep? {
        guard try isHeld(queue) else { throw QueueError.notHeldYet(queue) }
        guard try !form(of: queue).isOfConsumers else {
            return try stepConsumers(queue, task: task, limits)
        }
        try awaitSide(queue, limits)
        let began = SystemClock.monotonicMilliseconds()
        guard let task = try letThrough(queue, task) else { return nil }
        let side = RabbitPlaces.side(queue)
        while try session().depth(of: side)?.ready ?? 0 > 0 {
            guard SystemClock.monotonicMilliseconds() - began < limits.takeMilliseconds else {
                if try takeBack(queue) {
                    throw QueueError.notLegal(
                        "no worker of \(queue) took \(task.reference); it is held again, and comes "
                            + "last", fix: "sluice workers shows who serves it")
                }
                break
            }
            _ = try Poll.wait(fds: [], timeoutMilliseconds: 2)
        }
        return try followed(task, began, limits)
    }

    /// Sends workers that came later to the side queue, and waits until one takes from it.
    private func awaitSide(_ queue: String, _ limits: StepLimits) throws {
        let all = try broadcast().queues()
        let turned = try broadcast().turnAside(queue, among: all)
        let side = RabbitPlaces.side(queue)
        guard turned > 0 || all.contains(where: { $0.queues.contains(side) }) else {
            throw QueueError.notLegal(
                "no worker serves \(queue)", fix: "sluice workers shows the consumers there are")
        }
        let deadline = SystemClock.monotonicMilliseconds() + limits.takeMilliseconds
        while try session().depth(of: side)?.consumers ?? 0 == 0 {
            guard SystemClock.monotonicMilliseconds() < deadline else {
                throw QueueError.notLegal(
                    "no worker of Celery takes from \(side)", fix: "try again, or restart a worker")
            }
            _ = try Poll.wait(fds: [], timeoutMilliseconds: 10)
        }
    }

    /// Moves one task from the held queue to the side queue, in one transaction.
    private func letThrough(_ queue: String, _ reference: String?) throws -> ForeignTask? {
        try takeHeld(queue, reference) { shelf, found in
            let (way, side) = (RabbitPlaces.way(queue), RabbitPlaces.side(queue))
            let message = RabbitMessage(found.delivery.content, in: queue)
            guard let execution = message.execution else {
                throw QueueError.notLegal(
                    "task \(found.task.reference) is no message of Celery: it cannot be stepped",
                    fix: "sluice \(ShellWord.command("skip", found.task.reference)) sets it aside")
            }
            // Match only this attempt: a retry has another number and is held.
            try shelf.link.bind(side, to: way, execution)
            let held = RabbitPlaces.held(queue)
            try shelf.move(found.delivery, from: held, to: queue, .back, by: way)
            try shelf.link.unbind(side, from: way, execution)
        }
    }

    /// Takes one held task, or the first one, and hands it over in a transaction.
    func takeHeld(
        _ queue: String, _ reference: String?,
        _ pass: (RabbitShelf, (delivery: AMQPDelivery, task: ForeignTask)) throws -> Void
    ) throws -> ForeignTask? {
        let (shelf, found) = try seize(RabbitPlaces.held(queue), for: reference, of: queue, .held)
        defer { try? shelf.link.closeChannel() }
        guard let found else { return nil }
        try pass(shelf, found)
        return found.task
    }

    /// A message in the hand of a consumer by the id of its task, or the first one.
    func find(
        _ reference: String?, of queue: String, in place: String, by shelf: RabbitShelf,
        _ display: ForeignTask.Display = .held, limit: UInt16 = RabbitShelf.ahead
    ) throws -> (delivery: AMQPDelivery, task: ForeignTask)? {
        var names = ReferenceNames()
        var found: (delivery: AMQPDelivery, task: ForeignTask)?
        _ = try shelf.each(of: place, limit: Int(limit)) {
            let message = RabbitMessage($0.content, in: queue, key: $0.routingKey)
            let name = names.next(message.id)
            guard reference == nil || name == reference else { return true }
            found = ($0, message.task(name, in: queue, display))
            return false
        }
        return found
    }

    /// Takes what no worker took out of the side queue again; false if there is nothing.
    func takeBack(_ queue: String) throws -> Bool {
        let (held, side) = (RabbitPlaces.held(queue), RabbitPlaces.side(queue))
        let link = try session()
        defer { try? link.closeChannel() }
        try link.consume(
            side, as: RabbitPlaces.tagPrefix + "back", ahead: RabbitShelf.ahead,
            priority: Self.priority)
        try link.beginTransactions()
        return try RabbitShelf(link: link).moveAll(from: side, to: held, .aside) > 0
    }

    /// Waits until no worker has the task any more. No queue has the way it ended.
    private func followed(
        _ task: ForeignTask, _ began: Int64, _ limits: StepLimits
    ) throws -> ForeignStep {
        func step(_ note: String) -> ForeignStep {
            var step = ForeignStep(
                task: task, outcome: nil, error: nil,
                milliseconds: SystemClock.monotonicMilliseconds() - began)
            step.note = note
            return step
        }
        let now = Timestamp(milliseconds: SystemClock.nowMilliseconds())
        if let moment = task.notBefore, moment > now {
            return step("a worker took it, and begins it at \(TimeText.rfc3339(moment))")
        }
        ending = CeleryEnding()
        var pause = 10
        while SystemClock.monotonicMilliseconds() - began < limits.endMilliseconds {
            let answers = try broadcast().ask("query_task", ["ids": [.string(task.reference)]])
            ending.take(
                having: answers.filter { $0.answer.object?.isEmpty == false }.map(\.worker),
                of: answers.map(\.worker))
            guard !ending.hasGone else {
                return step(
                    ending.hasLostWorker
                        ? "the worker that had it does not answer any more; nothing says how far "
                            + "it came" : "it has ended; nothing here says how")
            }
            _ = try Poll.wait(fds: [], timeoutMilliseconds: pause)
            pause = min(pause * 2, 200)
        }
        return step("a worker took it; it has not ended yet")
    }

    /// Throws if a held queue is deleted.
    func checkQueue(_ queue: String) throws {
        guard try session().depth(of: queue) == nil else { return }
        throw QueueError(
            .changed,
            "there is no queue \(queue) any more: its held tasks are in "
                + RabbitPlaces.held(queue),
            fix: "make it again as its app does, then repeat")
    }

    func release(_ queue: String) throws -> ForeignAnswer {
        let (held, side) = (RabbitPlaces.held(queue), RabbitPlaces.side(queue))
        let workers = try broadcast().queues().filter { $0.queues.contains(side) }.map(\.worker)
        let isHeld = try isHeld(queue)
        guard try isHeld || !workers.isEmpty || session().depth(of: side) != nil else {
            throw QueueError.notHeld(queue)
        }
        try checkQueue(queue)
        let link = try AMQPConnection(management.address, name: "sluice resume \(queue)")
        defer { link.close() }
        try RabbitPlaces.declareFan(queue, by: link)
        let sealed = try form(of: queue).sealed
        try RabbitSeal(management: management).lift(sealed, queue, by: link)
        try endKeeper(queue)
        var moved = isHeld ? try giveBack(held, to: queue, by: link) : 0
        try broadcast().ask("add_consumer", ["queue": .string(queue)], of: workers)
        try broadcast().ask("cancel_consumer", ["queue": .string(side)], of: workers)
        let (more, rest) = try giveBackSide(of: queue, by: link)
        moved += more
        if isHeld { try session().delete(held) }
        try session().delete(RabbitPlaces.slipped(queue), isForced: true)
        for place in [held, side] { try session().deleteExchange(RabbitPlaces.fan(place)) }
        return ForeignAnswer(consequences: ["\(moved) given back to \(queue)"] + rest)
    }

    /// Gives back what no worker took of the side queue, or came back to it with a consumer that
    /// ended, and takes that queue away.
    private func giveBackSide(
        of queue: String, by link: AMQPConnection
    ) throws -> (moved: Int, rest: [String]) {
        let side = RabbitPlaces.side(queue)
        guard try session().depth(of: side) != nil else { return (0, []) }
        do {
            let moved = try giveBack(side, to: queue, by: link)
            // The side queue has no consumers and no messages. Force the deletion, because a quorum
            // queue does not support these conditions.
            try session().delete(side, isForced: try session().depth(of: side)?.ready == 0)
            return (moved, [])
        } catch let error as QueueError where error.code == .storeBusy {
            return (0, ["a worker takes from \(side) still: end it, then resume again"])
        } catch let error as AMQPError where error.code == 406 {
            return (0, ["\(side) stays: it is in use still"])
        }
    }

    private func giveBack(_ place: String, to queue: String, by link: AMQPConnection) throws -> Int
    {
        try link.closeChannel()
        let shelf = RabbitShelf(link: link)
        try shelf.seize(place)
        try link.beginTransactions()
        let moved = try shelf.moveAll(from: place, to: queue, .back)
        try link.closeChannel()
        return moved
    }

    /// Ends the keeper process, after it has moved its unacknowledged messages to the held queue.
    private func endKeeper(_ queue: String) throws {
        let deadline = SystemClock.monotonicMilliseconds() + Self.endMilliseconds
        guard try isKept(queue) else { return }
        try session().publish(
            try AMQPContent(json: ["verb": "end"]), exchange: "", key: RabbitPlaces.keeper(queue),
            mandatory: false)
        while try isKept(queue) {
            guard SystemClock.monotonicMilliseconds() < deadline else {
                throw QueueError(
                    .denied, "the process that holds \(queue) does not end",
                    fix: "end it (its connection is named sluice keep \(queue)), and resume again")
            }
            _ = try Poll.wait(fds: [], timeoutMilliseconds: 10)
        }
    }
}
