import SluiceControl
import SluiceForeignQueues
import SluiceModel

/// `run QUEUE --until FILTER`: a break by stepping.
extension ForeignInspector {
    /// Steps the held tasks of a queue in their order, and stops before the first that matches.
    ///
    /// Tasks that arrive during the run belong to it. It ends early if no worker takes a task.
    func run(_ call: RunCall) throws -> Reply {
        if call.handlers != nil { throw try refusal(of: "--handlers") }
        guard case .match(let filter)? = call.until else {
            throw QueueError.notLegal(
                "run: at a store of \(try kind()) a run needs a filter that stops it",
                fix: "sluice run \(ShellWord.quoted(call.queue)) --until 'type:charge'; "
                    + "sluice step \(ShellWord.quoted(call.queue)) -n 5 steps a number of tasks")
        }
        try beginChange()
        let selection = ForeignSelection(filter: filter, now: host.now())
        var answer = StepAnswer()
        let isStopped = try ask { store in
            let (system, queue) = try store.place(of: call.queue)
            return try run(queue, until: selection, of: system, &answer)
        }
        var reply = StepText.reply(answer, names: try names(of: [], in: []))
        if answer.stepped.isEmpty { reply.lines.removeFirst() }
        reply.lines.append(
            SafeText.visible(
                isStopped
                    ? "stopped before a task that matches \(filter); sluice step runs it"
                    : "no held task of \(call.queue) matches \(filter)"))
        if case .object(var object) = reply.json {
            object["matched"] = .bool(isStopped)
            reply.json = .object(object)
        }
        reply.isConfirmation = false
        return reply
    }

    /// Whether a task that matches ended it.
    private func run(
        _ queue: String, until selection: ForeignSelection, of system: any ForeignSystem,
        _ answer: inout StepAnswer
    ) throws -> Bool {
        try system.check(.step)
        guard try system.stops(of: queue)?.hold != nil else {
            throw QueueError.notLegal(
                "\(queue) is not held, so its workers take the tasks themselves",
                fix: "sluice pause \(ShellWord.quoted(queue))")
        }
        while let next = try firstHeld(of: queue, system) {
            answer.next = number(of: next.reference, in: system)
            if try selection.matches(next, of: system) { return true }
            let step = try system.step(queue, task: next.reference, limits: StepLimits())
            guard let step else { return false }
            answer.stepped.append(stepped(step, number(of: next.reference, in: system)))
            answer.next = nil
        }
        return false
    }

    private func firstHeld(
        of queue: String, _ system: any ForeignSystem
    ) throws -> ForeignTask? {
        let isHeld = { (task: ForeignTask) in [.next, .due, .held].contains(task.display) }
        let few = try system.page(ForeignQuery(queue: queue, state: .waiting, limit: 20)).tasks
        if let task = few.first(where: isHeld) { return task }
        var found: ForeignTask?
        _ = try system.pages(of: queue, .waiting, limit: 1_000_000) { tasks in
            found = tasks.first(where: isHeld)
            return found == nil
        }
        return found
    }
}
