import SluiceModel
import Testing

@testable import SluiceRunner
@testable import SluiceStore

/// A runner's machine with a simulated clock and its recorded effects.
private struct Driven {
    var machine: RunnerMachine
    var instant: Int64 = 0

    init(slots: Int = 2, limit: Int64? = nil) {
        var options = RunnerOptions()
        options.slots = slots
        machine = RunnerMachine(options: options, runner: 1, limits: { _ in limit })
    }

    mutating func handle(_ inputs: RunnerInput...) -> [RunnerEffect] {
        machine.handle(inputs, instant: instant, now: at(instant))
    }

    /// Time passes, as far as the machine would sleep and no further.
    mutating func sleep() -> [RunnerEffect] {
        instant += machine.sleepMilliseconds(instant: instant, now: at(instant)) ?? 0
        return handle(.tick)
    }

    mutating func wait(_ milliseconds: Int64) -> [RunnerEffect] {
        instant += milliseconds
        return handle(.tick)
    }
}

private func claimed(
    _ id: TaskID, timeout: Int64? = nil, isAlone: Bool = false, _ kind: Fault.Kind? = nil
) -> Claimed {
    var task = QueueTask(id: id, queue: "q", type: "t", position: id, createdAt: at(0))
    var lease = Running(owner: 1, token: id * 10, attempt: 1, since: at(0))
    lease.injection = kind.map { Injection(fault: 1, kind: $0) }
    task.state = .running(lease)
    return Claimed(
        task: task, payload: [], timeoutMilliseconds: timeout, attemptLimit: nil,
        storeIdentity: "s", isAlone: isAlone, maximumDepth: 100, ownNumber: 1)
}

private func key(_ id: TaskID) -> ExecutionKey { ExecutionKey(task: id, token: id * 10) }

private let work: RunnerPoll = {
    var look = RunnerPoll()
    look.hasWork = true
    return look
}()

private func stop(_ id: TaskID, _ cause: StopCause) -> RunnerInput {
    var look = RunnerPoll()
    look.stops[key(id)] = cause
    return .looked(look)
}

extension [RunnerEffect] {
    fileprivate var endings: [Ending] {
        flatMap { effect -> [Ending] in
            if case .commit(let completions, _) = effect { completions.map(\.ending) } else { [] }
        }
    }
    fileprivate var claims: [ClaimRequest] {
        compactMap { effect in
            if case .commit(_, let claim) = effect { claim } else { nil }
        }
    }
}

@Suite("the worker's decisions")
struct MachineTests {
    @Test("A1 a worker is full while every slot is taken, and not once it is to stop")
    func full() {
        var driven = Driven(slots: 2)
        _ = driven.handle(.committed([claimed(1)], []))
        #expect(!driven.machine.isFull)
        _ = driven.handle(.committed([claimed(2)], []))
        #expect(driven.machine.isFull)
        _ = driven.handle(.ended(key(1), ExecutionEnd(outcome: .success(result: nil))))
        #expect(!driven.machine.isFull)
        _ = driven.handle(.committed([claimed(3)], []))
        #expect(driven.machine.isFull)
        _ = driven.handle(.stop(isUrgent: false))
        #expect(!driven.machine.isFull)
    }

    @Test("A6 a request to stop that a commit read stops its attempt, and no other")
    func stopsOfCommit() {
        var driven = Driven(slots: 2)
        _ = driven.handle(.committed([claimed(1), claimed(2)], []))
        #expect(driven.handle(.stops([key(3): .cancelled])) == [])
        #expect(driven.handle(.stops([key(2): .cancelled])) == [.stop(key(2), .cancelled)])
        #expect(driven.handle(.stops([key(2): .cancelled])) == [])
    }

    @Test("P2 A1 what was claimed by a commit whose answer was lost waits again, and nothing else")
    func strays() {
        var driven = Driven(slots: 3)
        _ = driven.handle(.looked(work))
        _ = driven.handle(.committed([claimed(1), claimed(2)], []))
        var look = RunnerPoll()
        look.leases = [key(1), key(2)]
        #expect(driven.handle(.looked(look)) == [])
        // Its end is pending. The commit may fail and retry.
        let ended = driven.handle(.ended(key(1), ExecutionEnd(outcome: .success(result: nil))))
        #expect(ended.endings.count == 1)
        #expect(driven.handle(.looked(look)) == [])
        look.leases = [key(2), key(3)]
        #expect(driven.handle(.looked(look)).endings == [.stopped(.stopped)])
        #expect(driven.handle(.looked(look)) == [])
    }

    @Test("P2 an end and a look that come together after a stop are one end")
    func lateLook() {
        var driven = Driven(slots: 2)
        _ = driven.handle(.committed([claimed(1), claimed(2)], []))
        _ = driven.handle(.stop(isUrgent: false))
        var look = RunnerPoll()
        look.leases = [key(1), key(2)]
        let end = RunnerInput.ended(key(1), ExecutionEnd(outcome: .success(result: nil)))
        #expect(driven.handle(end, .looked(look)).endings == [.handler(.done)])
    }

    @Test("A1 a task of a claim that is answered after a stop is given back")
    func lateClaim() {
        for inputs in [
            [RunnerInput.committed([claimed(1)], []), .stop(isUrgent: false)],
            [.stop(isUrgent: false), .committed([claimed(1)], [])],
        ] {
            var driven = Driven(slots: 2)
            let effects = driven.machine.handle(inputs, instant: 0, now: at(0))
            #expect(effects.endings == [.stopped(.stopped)])
            #expect(!effects.contains(.start(claimed(1))))
        }
    }

    @Test("P2 an execution whose lease was taken is stopped, once")
    func taken() {
        var driven = Driven(slots: 2)
        _ = driven.handle(.looked(work))
        _ = driven.handle(.committed([claimed(1), claimed(2)], []))
        var look = RunnerPoll()
        look.leases = [key(2)]
        #expect(driven.handle(.looked(look)) == [.stop(key(1), .stopped)])
        #expect(driven.handle(.looked(look)) == [])
    }

    @Test("A2 without its lease it stops all, begins nothing, and gives back what comes late")
    func cutOff() {
        var runner = Driven()
        _ = runner.handle(.committed([claimed(1)], []))
        #expect(runner.handle(.lease(isHeld: false)) == [.stop(key(1), .stopped)])
        #expect(runner.handle(.looked(work)) == [])
        let late = runner.handle(.committed([claimed(2)], []))
        #expect(late.endings == [.stopped(.stopped)] && late.claims.isEmpty)
        #expect(!late.contains(.start(claimed(2))))
        let ended = runner.handle(.ended(key(1), ExecutionEnd(outcome: .done)))
        #expect(ended.claims.isEmpty && ended.endings.count == 1)
        #expect(runner.handle(.lease(isHeld: true)).claims.map(\.freeSlots) == [2])
    }

    @Test("A1 it claims as many as it has free slots, and settles and claims at once")
    func slots() {
        var runner = Driven()
        #expect(runner.handle(.looked(work)).claims.map(\.freeSlots) == [2])
        #expect(runner.handle(.committed([claimed(1)], [])) == [.start(claimed(1))])
        let more = runner.handle(.looked(work)).claims
        #expect(more.map(\.freeSlots) == [1] && more.map(\.inFlight) == [1])
        _ = runner.handle(.committed([claimed(2)], []))
        #expect(runner.handle(.looked(work)) == [])
        let effects = runner.handle(.ended(key(1), ExecutionEnd(outcome: .done)))
        #expect(effects.endings == [.handler(.done)])
        #expect(effects.claims.map(\.freeSlots) == [1])
    }

    @Test("A2 beside a task that must be alone nothing is claimed")
    func alone() {
        var runner = Driven()
        _ = runner.handle(.committed([claimed(1, isAlone: true)], []))
        #expect(runner.handle(.looked(work)) == [])
        let effects = runner.handle(.ended(key(1), ExecutionEnd(outcome: .done)))
        #expect(effects.claims.map(\.inFlight) == [0])
    }

    @Test("a claim that gave nothing is not repeated until something changed")
    func fruitless() {
        var runner = Driven()
        #expect(runner.handle(.looked(work)).claims.count == 1)
        #expect(runner.handle(.committed([], []), .looked(work)) == [])
        #expect(runner.handle(.looked(work)).claims.count == 1)
    }

    @Test("B3 the next moment wakes it for a claim, once")
    func moments() {
        var runner = Driven()
        var look = RunnerPoll()
        look.nextMoment = at(700)
        #expect(runner.handle(.looked(look)) == [])
        #expect(runner.sleep().claims.count == 1)
        #expect(runner.instant == 700)
        #expect(runner.machine.sleepMilliseconds(instant: 700, now: at(700)) == nil)
    }

    @Test(
        "YTQ-15 CIO-96 Q8 A6 a time-out stops, 5 s later kills, then abandons and frees the slot",
        arguments: [true, false])
    func timeOut(byHandler: Bool) {
        var runner = Driven(slots: 1, limit: byHandler ? 300 : nil)
        _ = runner.handle(.committed([claimed(1, timeout: byHandler ? 999 : 300)], []))
        #expect(runner.sleep() == [.stop(key(1), .timedOut)])
        #expect(runner.instant == 300)
        #expect(runner.sleep() == [.kill(key(1))])
        #expect(runner.instant == 5300)
        let effects = runner.sleep()
        #expect(effects.endings == [.abandoned(.timedOut)])
        // Its own slot stays taken until the handler returns.
        #expect(effects.claims == [])
        #expect(runner.handle(.looked(work)) == [])
        #expect(
            runner.handle(.ended(key(1), ExecutionEnd(outcome: .done)))
                == [.release(1, attempt: 1)])
        #expect(runner.handle(.looked(work)).claims.map(\.freeSlots) == [1])
    }

    /// Ends of a handler after a stop, each with its result.
    static let ends: [(StopCause, HandlerOutcome, Ending)] = [
        (.timedOut, .fail, .stopped(.timedOut)), (.cancelled, .fail, .stopped(.cancelled)),
        (.deleted, .giveUp(error: nil), .stopped(.deleted)), (.stopped, .fail, .stopped(.stopped)),
        (.timedOut, .done, .handler(.done)), (.cancelled, .done, .handler(.done)),
    ]

    @Test(
        "A6 one that stops in time ended by the cause; a success reported late counts",
        arguments: ends)
    func stops(cause: StopCause, outcome: HandlerOutcome, ending: Ending) {
        var runner = Driven(limit: cause == .timedOut ? 10 : nil)
        _ = runner.handle(.committed([claimed(1)], []))
        let told = cause == .timedOut ? runner.sleep() : runner.handle(stop(1, cause))
        #expect(told == [.stop(key(1), cause)])
        _ = runner.wait(4999)
        #expect(runner.handle(.ended(key(1), ExecutionEnd(outcome: outcome))).endings == [ending])
        #expect(runner.machine.executions.isEmpty)
    }

    @Test("A6 a person's word weighs more than a time-out, and stops only once")
    func weight() {
        var runner = Driven(limit: 10)
        _ = runner.handle(.committed([claimed(1)], []))
        #expect(runner.sleep() == [.stop(key(1), .timedOut)])
        #expect(runner.handle(stop(1, .cancelled)) == [])
        #expect(runner.sleep() == [.kill(key(1))])
        #expect(runner.sleep().endings == [.abandoned(.cancelled)])
    }

    @Test("A6 a worker that is asked to stop takes nothing more, and gives 10 s")
    func grace() {
        var runner = Driven()
        _ = runner.handle(.committed([claimed(1), claimed(2)], []))
        #expect(runner.handle(.stop(isUrgent: false)) == [.announceStop(begun: [])])
        #expect(runner.handle(.looked(work)) == [])
        let effects = runner.handle(.ended(key(1), ExecutionEnd(outcome: .done)))
        #expect(effects.endings == [.handler(.done)] && effects.claims == [])
        #expect(runner.sleep() == [.stop(key(2), .stopped)])
        #expect(runner.instant == 10_000)
        #expect(runner.sleep() == [.kill(key(2))])
        #expect(runner.sleep().endings == [.abandoned(.stopped)])
        #expect(runner.handle(.committed([], [])) == [.finish])
    }

    @Test("A1 A6 what was handed over begins once, and not in a worker that stops")
    func handed() {
        var runner = Driven()
        let first = claimed(1)
        #expect(runner.handle(.handed([first])) == [.start(first)])
        var look = RunnerPoll()
        look.handed = [first, claimed(2)]
        #expect(runner.handle(.looked(look), .looked(look)) == [.start(claimed(2))])
        let effects = runner.handle(.ended(key(1), ExecutionEnd(outcome: .done)), .looked(look))
        #expect(effects.claims.map(\.begun) == [[1, 2]])
        // A claim gives it too where it was made before the look was heard.
        #expect(runner.handle(.committed([claimed(2)], [])) == [])
        #expect(runner.handle(.handed([claimed(3)])) == [.start(claimed(3))])
        #expect(runner.handle(.stop(isUrgent: false)) == [.announceStop(begun: [3])])
        #expect(runner.handle(.handed([claimed(4)])) == [])
    }

    @Test("A6 a second word to stop is urgent; with nothing in hand it ends at once")
    func urgent() {
        var runner = Driven()
        _ = runner.handle(.committed([claimed(1)], []))
        _ = runner.handle(.stop(isUrgent: false))
        #expect(runner.handle(.stop(isUrgent: true)) == [.stop(key(1), .stopped)])
        _ = runner.handle(.ended(key(1), ExecutionEnd(outcome: .fail)))
        #expect(runner.handle(.committed([], [])) == [.finish])
        var idle = Driven()
        #expect(idle.handle(.stop(isUrgent: false)) == [.announceStop(begun: []), .finish])
    }

    @Test("A7 progress is written at most every 250 ms, a child's number at once")
    func progress() {
        var runner = Driven()
        _ = runner.handle(.committed([claimed(1)], []))
        var told = AttemptProgress()
        told.fraction = 0.5
        #expect(runner.handle(.progress(key(1), told, isUrgent: false)) == [])
        told.fraction = 0.75
        #expect(runner.handle(.progress(key(1), told, isUrgent: false)) == [])
        #expect(runner.sleep() == [.writeProgress([key(1): told])])
        #expect(runner.instant == 250)
        #expect(
            runner.handle(.progress(key(1), told, isUrgent: true))
                == [.writeProgress([key(1): told])])
        #expect(runner.handle(.progress(key(9), told, isUrgent: true)) == [])
    }

    @Test("B6 what is measured is written, and a handler without a network has it measured")
    func network() {
        var runner = Driven()
        #expect(runner.handle(.network(.noRoute)) == [.writeNetwork(.noRoute)])
        _ = runner.handle(.committed([claimed(1), claimed(2)], []))
        let offline = HandlerOutcome.offline(error: nil)
        let effects = runner.handle(.ended(key(1), ExecutionEnd(outcome: offline)))
        #expect(effects.endings == [.handler(offline)] && effects.last == .askNetwork)
        #expect(!runner.handle(.ended(key(2), ExecutionEnd(outcome: .done))).contains(.askNetwork))
    }

    @Test("YTQ-15 an end told twice, or by nobody in hand, changes nothing")
    func twice() {
        var runner = Driven()
        _ = runner.handle(.committed([claimed(1)], []))
        let end = RunnerInput.ended(key(1), ExecutionEnd(outcome: .done))
        #expect(runner.handle(end, end).endings == [.handler(.done)])
        #expect(runner.handle(end) == [])
    }

    @Test("A1 what was handed over and has ended is not begun again before it is settled")
    func handedAndEnded() {
        var driven = Driven()
        let task = claimed(1)
        #expect(driven.handle(.handed([task])) == [.start(task)])
        // A commit that claims nothing leaves in the store that it was handed over.
        _ = driven.handle(.committed([], []))
        var look = RunnerPoll()
        (look.handed, look.leases) = ([task], [key(1)])
        let end = ExecutionEnd(outcome: .success(result: nil))
        let effects = driven.handle(.ended(key(1), end), .looked(look))
        #expect(!effects.contains(.start(task)) && effects.endings.count == 1)
        // It does not start after a failed commit either.
        #expect(!driven.handle(.handed([task])).contains(.start(task)))
    }

    @Test("G2 an injected delay ends after its time, or with a stop, whichever comes first")
    func delay() {
        var driven = Driven()
        let task = claimed(1, timeout: 5000, .delay(milliseconds: 2000))
        #expect(driven.handle(.committed([task], [])) == [.start(task)])
        #expect(driven.wait(1999) == [])
        #expect(driven.sleep() == [.proceed(key(1))] && driven.instant == 2000)
        #expect(driven.sleep() == [.stop(key(1), .timedOut)] && driven.instant == 5000)
        let other = claimed(2, .delay(milliseconds: 2000))
        _ = driven.handle(.committed([other], []))
        #expect(driven.handle(stop(2, .cancelled)).contains(.stop(key(2), .cancelled)))
        #expect(!driven.wait(3000).contains(.proceed(key(2))))
    }

    @Test("G2 an injected time-out is over when it begins")
    func timeOut() {
        var driven = Driven()
        let task = claimed(1, timeout: 60_000, .timeOut)
        let effects = driven.handle(.committed([task], []))
        #expect(effects == [.start(task), .stop(key(1), .timedOut)])
        let end = ExecutionEnd(outcome: .retry(afterMilliseconds: nil, error: nil))
        #expect(driven.handle(.ended(key(1), end)).endings == [.stopped(.timedOut)])
    }

    @Test("G2 a crash comes before the handler, or before its end is written")
    func crashes() {
        var driven = Driven()
        let before = claimed(1, .crashBefore)
        #expect(driven.handle(.committed([before], [])) == [.crash(key(1))])
        driven = Driven()
        let after = claimed(2, .crashAfter)
        #expect(driven.handle(.committed([after], [])) == [.start(after)])
        let end = ExecutionEnd(outcome: .success(result: nil))
        #expect(driven.handle(.ended(key(2), end)).first == .crash(key(2)))
        #expect(driven.handle(.tick).endings.isEmpty)
        // A cancelled attempt ends as cancelled.
        driven = Driven()
        _ = driven.handle(.committed([after], []))
        _ = driven.handle(stop(2, .cancelled))
        let stopped = ExecutionEnd(outcome: .retry(afterMilliseconds: nil, error: nil))
        #expect(driven.handle(.ended(key(2), stopped)).endings == [.stopped(.cancelled)])
    }
}
