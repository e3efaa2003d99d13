public import SluiceModel
import SluiceStore

/// Opens a run, or continues a run that steps or a pause left open (D4).
package struct RunVerb: StoreVerb {
    package let queue: String
    /// The point where the run stops; `nil` runs to its end.
    package var limit: RunLimit?

    package var verbName: String { "run" }
    package var needsWakes: Bool { true }

    package func command(in text: CommandText) -> String { ShellWord.command("run", queue) }

    package func lines(in script: VerbScript) -> String {
        let until: String? =
            switch limit {
            case .task(let id): "task #\(id)"
            case .count(let count) where count != .max: "count \(count)"
            case .time(let moment): "time +\(script.text.wait(until: moment))"
            case .count, nil: nil
            }
        let option = until.map { " --until \(ShellWord.quoted($0))" } ?? ""
        return script.line(ShellWord.command("run", queue, option))
    }

    /// Opens a run, or continues a run that steps or a pause left open (D4).
    package func perform(in context: VerbContext) throws {
        let name = queue
        let queue = try context.mutation.queue(name)
        try queue.refuseElsewhere()
        try checkEnd(in: name, context)
        let pauses = try context.store.storeRecord().pauses
        if let run = queue.run,
            queue.goesOnByItself, !run.isSpent(at: context.now),
            !queue.isStopped(at: context.now, real: context.real, storePauses: pauses)
        {
            let count = run.attempted == 1 ? "1 attempt" : "\(run.attempted) attempts"
            context.answer.summary = "a run of \(name) is already open, after \(count)"
            context.answer.run = run
            return
        }
        let runners = try context.store.processes().filter { $0.role == .runner && !$0.isStopping }
        let first = try context.store.eligible(
            queue, for: runners, assumesRunner: runners.isEmpty, now: context.now, limit: 1)
        guard !first.isEmpty else {
            try context.journal("run", queue: name, "nothing in \(name) could run", undo: nil)
            return
        }
        try context.mutation.openRun(name, limit: nil)
        try context.mutation.goPastStops(of: name)
        try context.mutation.changeQueue(name) { $0.run?.limit = self.end(after: queue.run) }
        context.answer.run = try context.mutation.queue(name).run
        if runners.isEmpty {
            context.answer.consequences.append(
                "\(RunnerLack.nobody.sentence): sluice work --handlers FILE begins it, "
                    + "a step takes one")
        }
        var undo: UndoRecord?
        if queue.run == nil, let opened = context.answer.run {
            undo = UndoRecord()
            undo?.run = opened.number
        }
        let verb = queue.run == nil ? "opened" : "taken up again"
        try context.journal(
            "run", queue: name, "a run of \(name) \(verb) by \(context.person)", undo: undo)
    }

    private func checkEnd(in queue: String, _ context: VerbContext) throws {
        switch limit {
        case .task(let id):
            let task = try context.store.requireTask(id)
            guard task.queue == queue, task.waiting != nil else {
                throw QueueError.notLegal(
                    "#\(id) does not wait in \(queue)", fix: "name a waiting task of the queue")
            }
        case .count(let count) where count < 1:
            throw QueueError(.badValue, "the count is \(count)", fix: "allowed: 1 or more")
        case .count, .time, nil: break
        }
    }

    /// A count adds to the attempts of the open run.
    private func end(after run: Run?) -> RunLimit {
        guard case .count(let count)? = limit else { return limit ?? .toItsEnd }
        return .count(count > .max / 2 ? .max : count + (run?.attempted ?? 0))
    }
}

extension Verb {
    /// Runs each task of a queue at most once.
    public static func run(queue: String, limit: RunLimit?) -> Verb {
        Verb(RunVerb(queue: queue, limit: limit))
    }
}
