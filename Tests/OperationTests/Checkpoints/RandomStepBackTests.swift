import SluiceModel
import SluiceStore
import SluiceSystem
import Testing

@testable import SluiceControl

/// Undone steps in random stores (G5).
@Suite("Steps back after random work")
struct RandomStepBackTests {
    private static let isLong = ProcessIdentity.environment("SLUICE_SOAK") != nil
    private static let seeds: [Case<Range<Int>>] =
        (0..<(isLong ? 50 : 3)).map { Case(engine: .memory, value: $0 * 100..<($0 + 1) * 100) }
        + [Case(engine: .sqlite, value: 5000..<5040)]
        + Engine.large.dropFirst(2).map { Case(engine: $0, value: 6000..<6006) }

    private static let endings: [Ending] = [
        .handler(.done), .handler(.fail), .handler(.giveUp(error: "no")),
        .handler(.park(error: nil)), .stopped(.timedOut), .abandoned(.timedOut), .lost,
    ]

    @Test(
        "G5 a step back equals what was before, where nobody changed anything", arguments: seeds)
    func equalsBefore(_ test: Case<Range<Int>>) throws {
        var stepped = 0
        for seed in test.value {
            let bench = try Bench(test.engine)
            var operation = try RandomOperation(bench, seed: seed)
            for _ in 0..<(10 + seed % 40) { try operation.next() }
            try operation.endAll()
            try bench.workOffAll()
            try bench.perform(.pause(PauseRequest(.store)))
            guard let step = try Step(bench, seed: seed) else { continue }
            stepped += 1
            let worked = try bench.dump()
            let answer = try bench.perform(.stepBack(queue: step.queue))
            let after = try bench.dump()
            var wrong = answer.failed.map { "\($0)" }
            // Only the effects of the run's end remain.
            let stays = step.endsRun ? [StepBackVerb.runStays] : []
            if answer.consequences != stays { wrong += answer.consequences + ["not \(stays)"] }
            wrong += after.unlike(before: step.before, stepped: step.task)
            for queue in ["q", "r"] { wrong += try RandomOperationTests.wrong(bench, queue) }
            wrong += try bench.read { try $0.problems(.tasks) }
            #expect(wrong == [], "seed \(seed)")
            let undone = try bench.perform(.undo(event: nil))
            let lost = undone.failed.map { "\($0)" }
            #expect(lost == [], "seed \(seed), undone")
            let again = try bench.dump().unlike(before: worked)
            #expect(again == [], "seed \(seed), undone")
            let third = try bench.perform(.stepBack(queue: step.queue)).failed.map { "\($0)" }
            let last = try bench.dump().unlike(before: step.before, stepped: step.task)
            #expect(third + last == [], "seed \(seed), once more")
            guard wrong == [], lost == [], again == [] else { return }
        }
        #expect(stepped > test.value.count / 4)
    }

    @Test(
        "G5 a step back among other verbs leaves a store by the rules", arguments: seeds)
    func amongOthers(_ test: Case<Range<Int>>) throws {
        for seed in test.value {
            let bench = try Bench(test.engine, membersAtOnce: seed % 2 == 0 ? 1 : 1000)
            var operation = try RandomOperation(bench, seed: seed)
            for _ in 0..<(10 + seed % 40) { try operation.next() }
            try operation.endAll()
            try bench.perform(.pause(PauseRequest(.store)))
            guard let step = try Step(bench, seed: seed) else { continue }
            for _ in 0..<(1 + seed % 12) { try operation.next() }
            try operation.endAll()
            let before = try bench.dump()
            do {
                try bench.perform(.stepBack(queue: step.queue))
            } catch let error as QueueError {
                #expect([.changed, .notLegal, .uniqueTaken].contains(error.code), "\(error)")
                #expect(try bench.dump() == before)
            }
            var wrong: [String] = []
            for queue in ["q", "r"] { wrong += try RandomOperationTests.wrong(bench, queue) }
            wrong += try bench.read { try $0.problems(.tasks) }
            #expect(wrong == [], "seed \(seed)")
            guard wrong == [] else { return }
        }
    }

    /// A step in one of the queues, and all as it was before; nil where none can be.
    private struct Step {
        let task: QueueTask
        /// The state before the step, with due effects already applied.
        let before: Dump
        let queue: String
        /// Whether the run of its queue ended in the commit of its end.
        let endsRun: Bool

        init?(_ bench: Bench, seed: Int) throws {
            var random = SeededRandom(seed: seed + 1)
            let runner = try bench.attach()
            var found: (task: QueueTask, queue: String, runner: ProcessID)?
            for name in ["q", "r"] {
                do {
                    let issued = try bench.act { mutation in
                        try PermitContext(mutation, issuer: runner, person: "ann")
                            .issue(.queue(name, count: 1))
                    }
                    if let issued {
                        let waiting = try bench.task(issued.task.id)
                        found = (waiting, name, issued.permit.runner)
                    }
                } catch let error as QueueError where error.isRefusal {}
                if found != nil { break }
            }
            guard let found, let claimed = try bench.claim(found.runner).first
            else { return nil }
            (task, queue, before) = (found.task, found.queue, try bench.dump())
            let run = try bench.read { try $0.queue(named: found.queue)?.run }
            var completion = claimed.completion(random.pick(RandomStepBackTests.endings))
            completion.result = [7]
            if random.once(in: 3) {
                completion.followUps = [FollowUp(queue: "q", task: member("g", start: "h"))]
            }
            let sent = completion
            try bench.act { _ = try $0.settle([sent]) }
            let left = try bench.read { try $0.queue(named: found.queue)?.run }
            endsRun = run != nil && left == nil
            try bench.workOffAll()
        }
    }
}

extension Dump {
    /// Differences of tasks from their former state, apart from ids dropped by a retention limit.
    fileprivate func unlike(before: Dump, stepped: QueueTask? = nil) -> [String] {
        var wrong: [String] = []
        let now = Dictionary(uniqueKeysWithValues: zip(tasks.map(\.id), tasks.indices))
        let known = Set(before.tasks.map(\.id))
        for (place, old) in before.tasks.enumerated() {
            guard let index = now[old.id] else {
                if old.state.name != .succeeded { wrong.append("#\(old.id) is gone") }
                continue
            }
            let isStepped = old.id == stepped?.id
            var wanted = (isStepped ? stepped ?? old : old).asStepped
            let found = tasks[index].asStepped
            // The end of a run releases the members that sat it out; the rule decides if that is
            // right.
            let queue = queues.first { $0.name == old.queue }
            if queue?.settings.whenStartFails == .skipRun, queue?.run == nil {
                wanted.isHeld = found.isHeld
            }
            // A start with members that sat out the run releases them at its end.
            if let run = before.queues.first(where: { $0.name == old.queue })?.run,
                queue?.run == nil, run.sitOuts.contains(old.id)
            {
                wanted.endedStartPolicy = .release
            }
            if wanted != found {
                let fields = found.differences(from: wanted).map { "\($0.name) \($0.to)" }
                wrong.append(
                    "#\(old.id): \(fields), \(found.isHeld) \(wanted.isHeld), \(found.freshAt) "
                        + "\(wanted.freshAt), \(found.state) \(wanted.state)")
            }
            if payloads[index] != before.payloads[place] { wrong.append("payload of #\(old.id)") }
            if results[index] != before.results[place] { wrong.append("result of #\(old.id)") }
        }
        for task in tasks where !known.contains(task.id) && task.state.name != .deleted {
            wrong.append("#\(task.id) came since and is \(task.state.name.rawValue)")
        }
        return wrong
    }
}

extension QueueTask {
    /// Without the fields changed by a run's end, and the continuing effects of a step.
    fileprivate var asStepped: QueueTask {
        var task = asCompared
        task.state.lingering = nil
        guard var waiting = task.waiting else {
            task.isHeld = false
            return task
        }
        (waiting.attemptedInRun, task.freshAt) = (false, task.createdAt)
        if waiting.skip?.endsWithRun == true { waiting.skip = nil }
        task.state = .waiting(waiting)
        return task
    }
}
