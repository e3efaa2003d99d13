import SluiceModel
import Testing

@testable import SluiceRunner
@testable import SluiceStore

/// A runner's machine on a clock of its own, with the effects it asked for.
private struct Driven {
    var machine: RunnerMachine
    var instant: Int64 = 0

    init(slots: Int = 2, limit: Int64? = nil) {
        var options = RunnerOptions()
        options.slots = slots
        machine = RunnerMachine(options: options, runner: 1, limits: { _ in limit })
    }

    mutating func hear(_ inputs: RunnerInput...) -> [RunnerEffect] {
        machine.hear(inputs, instant: instant, now: at(instant))
    }

    /// Time passes, as far as the machine would sleep and no further.
    mutating func sleep() -> [RunnerEffect] {
        instant += machine.sleepMilliseconds(instant: instant, now: at(instant)) ?? 0
        return hear(.tick)
    }

    mutating func wait(_ milliseconds: Int64) -> [RunnerEffect] {
        instant += milliseconds
        return hear(.tick)
    }
}

private func claimed(_ id: TaskID, timeout: Int64? = nil, isAlone: Bool = false) -> Claimed {
    var task = QueueTask(id: id, queue: "q", type: "t", position: id, createdAt: at(0))
    task.state = .running(Running(owner: 1, token: id * 10, attempt: 1, since: at(0)))
    return Claimed(
        task: task, payload: [], timeoutMilliseconds: timeout, attemptLimit: nil,
        storeIdentity: "s", isAlone: isAlone, maximumDepth: 100, ownNumber: 1)
}

private func key(_ id: TaskID) -> ExecutionKey { ExecutionKey(task: id, token: id * 10) }

private let work: RunnerLook = {
    var look = RunnerLook()
    look.hasWork = true
    return look
}()

private func stop(_ id: TaskID, _ cause: StopCause) -> RunnerInput {
    var look = RunnerLook()
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

@Suite("the runner's decisions")
struct MachineTests {
    @Test("P2 A1 what was claimed by a commit whose answer was lost waits again, and nothing else")
    func strays() {
        var driven = Driven(slots: 3)
        _ = driven.hear(.looked(work))
        _ = driven.hear(.committed([claimed(1), claimed(2)], []))
        var look = RunnerLook()
        look.leases = [key(1), key(2)]
        #expect(driven.hear(.looked(look)) == [])
        // Its end is on its way, and the commit with it may fail and be tried again.
        let ended = driven.hear(.ended(key(1), ExecutionEnd(outcome: .success(result: nil))))
        #expect(ended.endings.count == 1)
        #expect(driven.hear(.looked(look)) == [])
        look.leases = [key(2), key(3)]
        #expect(driven.hear(.looked(look)).endings == [.stopped(.stopped)])
        #expect(driven.hear(.looked(look)) == [])
    }

    @Test("A2 without its lease it stops all, begins nothing, and gives back what comes late")
    func cutOff() {
        var runner = Driven()
        _ = runner.hear(.committed([claimed(1)], []))
        #expect(runner.hear(.lease(isHeld: false)) == [.stop(key(1), .stopped)])
        #expect(runner.hear(.looked(work)) == [])
        let late = runner.hear(.committed([claimed(2)], []))
        #expect(late.endings == [.stopped(.stopped)] && late.claims.isEmpty)
        #expect(!late.contains(.start(claimed(2))))
        let ended = runner.hear(.ended(key(1), ExecutionEnd(outcome: .done)))
        #expect(ended.claims.isEmpty && ended.endings.count == 1)
        #expect(runner.hear(.lease(isHeld: true)).claims.map(\.freeSlots) == [2])
    }

    @Test("A1 it claims as many as it has free slots, and settles and claims at once")
    func slots() {
        var runner = Driven()
        #expect(runner.hear(.looked(work)).claims.map(\.freeSlots) == [2])
        #expect(runner.hear(.committed([claimed(1)], [])) == [.start(claimed(1))])
        let more = runner.hear(.looked(work)).claims
        #expect(more.map(\.freeSlots) == [1] && more.map(\.inHand) == [1])
        _ = runner.hear(.committed([claimed(2)], []))
        #expect(runner.hear(.looked(work)) == [])
        let effects = runner.hear(.ended(key(1), ExecutionEnd(outcome: .done)))
        #expect(effects.endings == [.handler(.done)])
        #expect(effects.claims.map(\.freeSlots) == [1])
    }

    @Test("A2 beside a task that must be alone nothing is claimed")
    func alone() {
        var runner = Driven()
        _ = runner.hear(.committed([claimed(1, isAlone: true)], []))
        #expect(runner.hear(.looked(work)) == [])
        let effects = runner.hear(.ended(key(1), ExecutionEnd(outcome: .done)))
        #expect(effects.claims.map(\.inHand) == [0])
    }

    @Test("a claim that gave nothing is not repeated until something changed")
    func fruitless() {
        var runner = Driven()
        #expect(runner.hear(.looked(work)).claims.count == 1)
        #expect(runner.hear(.committed([], []), .looked(work)) == [])
        #expect(runner.hear(.looked(work)).claims.count == 1)
    }

    @Test("B3 the next moment wakes it for a claim, once")
    func moments() {
        var runner = Driven()
        var look = RunnerLook()
        look.nextMoment = at(700)
        #expect(runner.hear(.looked(look)) == [])
        #expect(runner.sleep().claims.count == 1)
        #expect(runner.instant == 700)
        #expect(runner.machine.sleepMilliseconds(instant: 700, now: at(700)) == nil)
    }

    @Test(
        "YTQ-15 CIO-96 Q8 A6 a time-out stops, 5 s later kills, then abandons and frees the slot",
        arguments: [true, false])
    func timeOut(byHandler: Bool) {
        var runner = Driven(slots: 1, limit: byHandler ? 300 : nil)
        _ = runner.hear(.committed([claimed(1, timeout: byHandler ? 999 : 300)], []))
        #expect(runner.sleep() == [.stop(key(1), .timedOut)])
        #expect(runner.instant == 300)
        #expect(runner.sleep() == [.kill(key(1))])
        #expect(runner.instant == 5300)
        let effects = runner.sleep()
        #expect(effects.endings == [.abandoned(.timedOut)])
        // Its own slot stays taken until the handler returns.
        #expect(effects.claims == [])
        #expect(runner.hear(.looked(work)) == [])
        #expect(
            runner.hear(.ended(key(1), ExecutionEnd(outcome: .done)))
                == [.release(1, attempt: 1)])
        #expect(runner.hear(.looked(work)).claims.map(\.freeSlots) == [1])
    }

    /// How a handler ends after it was told to stop, and what that is.
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
        _ = runner.hear(.committed([claimed(1)], []))
        let told = cause == .timedOut ? runner.sleep() : runner.hear(stop(1, cause))
        #expect(told == [.stop(key(1), cause)])
        _ = runner.wait(4999)
        #expect(runner.hear(.ended(key(1), ExecutionEnd(outcome: outcome))).endings == [ending])
        #expect(runner.machine.executions.isEmpty)
    }

    @Test("A6 a person's word weighs more than a time-out, and stops only once")
    func weight() {
        var runner = Driven(limit: 10)
        _ = runner.hear(.committed([claimed(1)], []))
        #expect(runner.sleep() == [.stop(key(1), .timedOut)])
        #expect(runner.hear(stop(1, .cancelled)) == [])
        #expect(runner.sleep() == [.kill(key(1))])
        #expect(runner.sleep().endings == [.abandoned(.cancelled)])
    }

    @Test("A6 a runner that is asked to stop takes nothing more, and gives 10 s")
    func grace() {
        var runner = Driven()
        _ = runner.hear(.committed([claimed(1), claimed(2)], []))
        #expect(runner.hear(.stop(isUrgent: false)) == [.announceStop(begun: [])])
        #expect(runner.hear(.looked(work)) == [])
        let effects = runner.hear(.ended(key(1), ExecutionEnd(outcome: .done)))
        #expect(effects.endings == [.handler(.done)] && effects.claims == [])
        #expect(runner.sleep() == [.stop(key(2), .stopped)])
        #expect(runner.instant == 10_000)
        #expect(runner.sleep() == [.kill(key(2))])
        #expect(runner.sleep().endings == [.abandoned(.stopped)])
        #expect(runner.hear(.committed([], [])) == [.finish])
    }

    @Test("A1 A6 what was handed over begins once, and not in a runner that stops")
    func handed() {
        var runner = Driven()
        let first = claimed(1)
        #expect(runner.hear(.handed([first])) == [.start(first)])
        var look = RunnerLook()
        look.handed = [first, claimed(2)]
        #expect(runner.hear(.looked(look), .looked(look)) == [.start(claimed(2))])
        let effects = runner.hear(.ended(key(1), ExecutionEnd(outcome: .done)), .looked(look))
        #expect(effects.claims.map(\.begun) == [[1, 2]])
        // A claim gives it too where it was made before the look was heard.
        #expect(runner.hear(.committed([claimed(2)], [])) == [])
        #expect(runner.hear(.handed([claimed(3)])) == [.start(claimed(3))])
        #expect(runner.hear(.stop(isUrgent: false)) == [.announceStop(begun: [3])])
        #expect(runner.hear(.handed([claimed(4)])) == [])
    }

    @Test("A6 a second word to stop is urgent; with nothing in hand it ends at once")
    func urgent() {
        var runner = Driven()
        _ = runner.hear(.committed([claimed(1)], []))
        _ = runner.hear(.stop(isUrgent: false))
        #expect(runner.hear(.stop(isUrgent: true)) == [.stop(key(1), .stopped)])
        _ = runner.hear(.ended(key(1), ExecutionEnd(outcome: .fail)))
        #expect(runner.hear(.committed([], [])) == [.finish])
        var idle = Driven()
        #expect(idle.hear(.stop(isUrgent: false)) == [.announceStop(begun: []), .finish])
    }

    @Test("A7 progress is written at most every 250 ms, a child's number at once")
    func progress() {
        var runner = Driven()
        _ = runner.hear(.committed([claimed(1)], []))
        var told = AttemptProgress()
        told.fraction = 0.5
        #expect(runner.hear(.progress(key(1), told, isUrgent: false)) == [])
        told.fraction = 0.75
        #expect(runner.hear(.progress(key(1), told, isUrgent: false)) == [])
        #expect(runner.sleep() == [.writeProgress([key(1): told])])
        #expect(runner.instant == 250)
        #expect(
            runner.hear(.progress(key(1), told, isUrgent: true))
                == [.writeProgress([key(1): told])])
        #expect(runner.hear(.progress(key(9), told, isUrgent: true)) == [])
    }

    @Test("B6 what is measured is written, and a handler without a network has it measured")
    func network() {
        var runner = Driven()
        #expect(runner.hear(.network(.noRoute)) == [.writeNetwork(.noRoute)])
        _ = runner.hear(.committed([claimed(1), claimed(2)], []))
        let offline = HandlerOutcome.offline(error: nil)
        let effects = runner.hear(.ended(key(1), ExecutionEnd(outcome: offline)))
        #expect(effects.endings == [.handler(offline)] && effects.last == .askNetwork)
        #expect(!runner.hear(.ended(key(2), ExecutionEnd(outcome: .done))).contains(.askNetwork))
    }

    @Test("YTQ-15 an end told twice, or by nobody in hand, changes nothing")
    func twice() {
        var runner = Driven()
        _ = runner.hear(.committed([claimed(1)], []))
        let end = RunnerInput.ended(key(1), ExecutionEnd(outcome: .done))
        #expect(runner.hear(end, end).endings == [.handler(.done)])
        #expect(runner.hear(end) == [])
    }
}
