import SluiceModel
import SluiceSystem

@testable import SluiceControl
@testable import SluiceStore

/// People's verbs in the world.
extension World {
    /// Performs a verb. `nil` if refused.
    @discardableResult
    func perform(_ verb: Verb) -> Answer? {
        let (now, person, planted, membersAtOnce) = (now, "ann", planted, membersAtOnce)
        let answer = Protected<Answer?>(nil)
        breakDisk()
        defer { faults.fail(from: nil) }
        do {
            let done = try store.writeBlocking { store in
                let slice = BulkSlice(whole: verb, began: now)
                let answer = try store.transact(at: now, membersAtOnce: membersAtOnce) {
                    try VerbContext($0, person: person, chance: 0.5, slice: slice).perform().answer
                }
                try planted?.spoil(store)
                return answer
            }
            answer.withLock { $0 = done }
        } catch let error as QueueError {
            // A clock cannot show a time before the store's creation.
            let expected: [QueueError.Code] = [
                .diskFull, .readOnly, .notLegal, .unknownTask, .badValue,
            ]
            guard expected.contains(error.code) else {
                auditor.complain("\(verb.name): \(error)")
                return nil
            }
        } catch { auditor.complain("\(verb.name): \(error)") }
        guard let done = answer.withLock({ $0 }) else { return nil }
        handle(verb, done)
        return done
    }

    /// The auditor hears the answer.
    private func handle(_ verb: Verb, _ answer: Answer) {
        switch verb.order {
        case let pause as PauseRequest:
            let cause: Pause.Cause = pause.scope == .store ? .store : .person
            auditor.paused(name(pause.scope), by: cause, for: pause.forMilliseconds, at: shown)
        case let resume as ResumeVerb:
            auditor.pauses[name(resume.scope)] = nil
            auditor.wentOn(name(resume.scope))
        case let run as RunVerb:
            auditor.asked.insert(run.queue)
            auditor.wentOn(run.queue)
        case let verb as GoOnVerb:
            // With another pause it opens a run.
            if answer.run != nil { auditor.asked.insert(verb.queue) }
            auditor.wentOn(verb.queue)
        case let request as BreakRequest:
            for case .id(let ranges, _) in request.filter.expression.terms {
                auditor.changed(ranges.map(\.lowerBound)) {
                    ($0.hasBreakpoint, $0.keepsBreakpoint) = (true, true)
                }
            }
        case let request as FaultRequest:
            guard let number = answer.faults.first?.number else { break }
            for case .id(let ranges, _) in request.filter.expression.terms {
                auditor.tasks[ranges[0].lowerBound]?.faults[number] = (request.times ?? 1, [])
            }
        case is RemoveFaultsVerb:
            for id in auditor.tasks.keys { auditor.tasks[id]?.faults = [:] }
        case is RemoveBreaksVerb:
            auditor.changed(Array(auditor.tasks.keys)) {
                ($0.hasBreakpoint, $0.keepsBreakpoint) = (false, false)
            }
        case let request as ClockRequest: handle(request.change, answer)
        case let done as VerbOnTasks: handle(done.verb, answer)
        default: auditor.complain("the auditor has no model of \(verb.name)")
        }
    }

    /// Which time is the next one only the answer says.
    private func handle(_ change: ClockRequest.Change, _ answer: Answer) {
        switch change {
        case .freeze: clock = WorldClock(rate: 0, from: shown, since: now)
        case .move(let milliseconds): clock = clock.set(to: shown + milliseconds, at: now)
        case .set(let time): clock = clock.set(to: time, at: now)
        case .next: clock = clock.set(to: answer.clock?.now ?? shown, at: now)
        case .rate(let rate): clock = WorldClock(rate: rate, from: shown, since: now)
        case .real: clock = WorldClock()
        }
    }

    private func handle(_ verb: any TaskVerb, _ answer: Answer) {
        switch verb {
        case is SkipVerb: auditor.changed(answer.changed) { $0.isSkipped = true }
        case is UnskipVerb: auditor.changed(answer.changed) { $0.isSkipped = false }
        case is DeleteVerb: auditor.changed(answer.changed) { $0.isDeleted = true }
        case is UndeleteVerb: auditor.changed(answer.changed) { $0.isDeleted = false }
        case is RetryVerb:
            auditor.changed(answer.changed) { task in
                (task.isSkipped, task.hasFailed, task.isParked) = (false, false, false)
                (task.notBefore, task.counted) = (nil, 0)
            }
        case let postpone as PostponeVerb:
            auditor.changed(answer.changed) { $0.notBefore = postpone.until }
        case is CancelVerb, is MoveVerb: auditor.changed(answer.changed) { _ in }
        default: auditor.complain("the auditor has no model of \(verb)")
        }
    }

    private func name(_ scope: VerbScope) -> String {
        switch scope {
        case .queue(let name): name
        case .store: Auditor.wholeStore
        }
    }

    func operate() throws {
        guard let id = auditor.tasks.keys.sorted().randomElement(using: &random),
            let queue = auditor.tasks[id]?.queue
        else { return }
        let target = [TaskTarget(id)]
        switch random.below(25) {
        case 20, 21, 22:
            let moves: [ClockRequest.Change] = [
                .freeze, .move(Int64(random.below(7_200_000) - 3_600_000)), .next(queue: nil),
                .rate(10), .rate(0.1), .real,
            ]
            perform(.setClock(ClockRequest(random.pick(moves))))
        case 18, 19:
            guard chance(90) else { perform(.removeFaults(.all)); break }
            let open = auditor.tasks.filter { !$0.value.hasSucceeded }.keys.sorted()
            guard let id = open.randomElement(using: &random),
                let filter = try? TaskFilter("id:\(id)")
            else { break }
            var request = FaultRequest(filter, chance(50) ? .twice : .fail(nil))
            request.times = 1 + random.below(3)
            request.forMilliseconds = nil
            perform(.setFault(request))
        case 16, 23, 24:
            guard let filter = try? TaskFilter("id:\(id)") else { break }
            var request = BreakRequest(filter)
            request.forMilliseconds = nil
            perform(.setBreakpoint(request))
        case 17: perform(chance(20) ? .removeBreakpoints(.all) : .goOn(queue: queue))
        case 0:
            var pause = PauseRequest(chance(20) ? .store : .queue(queue))
            pause.stopsRunning = chance(30)
            if chance(50) { pause.forMilliseconds = Int64(random.below(2000)) }
            perform(.pause(pause))
        case 1, 2, 3: perform(.resume(chance(30) ? .store : .queue(queue)))
        case 4: perform(.skip(target, forMilliseconds: nil))
        case 5: perform(.unskip(target))
        case 6: perform(.delete(target, cancelsRunning: false, members: nil))
        case 7: perform(.undelete(target))
        case 8, 9: perform(.retry(target))
        case 10: perform(.cancel(target))
        // The auditor expects a batched run to end when no eligible task is left.
        case 11:
            let isLimited = queue != "batch" && chance(50)
            perform(.run(queue: queue, limit: isLimited ? .count(2) : nil))
        case 12, 13: try stepOnce(queue)
        // A move would change which starts come before which members.
        case 14 where queue != "strict" && auditor.tasks[id]?.hasGroupRole == false:
            perform(.move(target[0], chance(50) ? .first : .last))
        case 15 where queue != "strict": perform(.postpone(target, until: shown + 500))
        default: break
        }
    }

    /// Issues a permit for the next task. A runner claims it in its next turn.
    private func stepOnce(_ queue: String) throws {
        guard let issuer = runners.first?.process else { return }
        let now = now
        do {
            try store.transactBlocking(at: now) { mutation in
                _ = try PermitContext(mutation, issuer: issuer, person: "ann")
                    .issue(.queue(queue, count: 1))
            }
        } catch let error as QueueError {
            if error.code != .notLegal { auditor.complain("step: \(error)") }
        }
    }
}

/// An independent model of a store's clock: it showed `from` at a real time, and continues at a
/// rate; 0 is stopped.
struct WorldClock {
    var rate = 1.0
    var from = Timestamp(milliseconds: 0)
    var since = Timestamp(milliseconds: 0)

    func time(at real: Timestamp) -> Timestamp {
        from + Int64((Double(real - since) * rate).rounded(.down))
    }

    func set(to time: Timestamp, at real: Timestamp) -> WorldClock {
        WorldClock(rate: rate, from: time, since: real)
    }
}
