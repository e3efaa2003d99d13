import SluiceModel
import SluiceStore

/// A debugger's settings in a random store (G1, G2, G3).
extension RandomStore {
    private static let filters = ["type:a", "type:b", "priority>0", "id:1-4", "group:g"]

    mutating func drawDebugger() {
        // The duration of running work is unknown, so remove the open run and lingering attempts.
        queue.run = nil
        for place in tasks.indices {
            guard var waiting = tasks[place].waiting else { continue }
            if waiting.lingering?.kind == .orphan { waiting.lingering = nil }
            waiting.attemptedInRun = false
            if waiting.skip?.endsWithRun == true { waiting.skip?.endsWithRun = false }
            tasks[place].state = .waiting(waiting)
        }
        for place in tasks.indices where tasks[place].running != nil {
            tasks[place].state = .succeeded(Success(at: at(90)))
        }
        // A stepping process would keep a run open for tasks that no other runner claims.
        for place in processes.indices { processes[place].takesOnlyPermits = false }
        queue.wakes = []
        markHeld()
        drawClock()
        // Stops end in real time, and have their breakpoints.
        queue.pauses.removeAll { $0.cause == .breakpoint }
        if random.once(in: 3) { drawBreakpoints() }
        if random.once(in: 3) { drawFaults() }
        // Which of several runners takes its task first is not foreseen.
        let runners = processes.filter(\.isWorking).map(\.id)
        processes.removeAll { runners.dropFirst().contains($0.id) }
    }

    private mutating func drawClock() {
        let time: StoreTime
        switch random.below(6) {
        case 0:
            time = .offset(random.pick([-30, 40, 86_400_000]))
            real = Self.now + -time.offset(at: Self.now)
        case 1:
            real = at(random.pick([-500, 700]))
            time = .frozen(at: Self.now)
        case 2, 3:
            real = at(random.pick([-500, 0, 700]))
            time = .rate(random.pick([0.1, 0.5, 3, 10]), from: Self.now, since: real)
        default: return
        }
        store.clock = ClockSetting(time, by: "ann", since: real)
    }

    private mutating func drawBreakpoints() {
        for number in 1...Int64(1 + random.below(3)) {
            guard let filter = try? TaskFilter(random.pick(Self.filters)),
                var one = try? Breakpoint(
                    number: number, filter: filter,
                    moment: random.pick([.before, .before, .before, .after, .onFailure]), by: "ann")
            else { continue }
            one.atHit = random.pick([nil, nil, 2])
            one.times = random.pick([nil, nil, 1])
            one.until = random.once(in: 3) ? real + Int64(random.below(60)) : nil
            one.isLog = random.once(in: 5)
            store.breakpoints.all.append(one)
            store.breakpoints.last = number
        }
        if random.once(in: 4) { drawStop() }
    }

    /// A stop that holds already.
    private mutating func drawStop() {
        let places = store.breakpoints.all.indices.filter {
            store.breakpoints.all[$0].moment == .before && !store.breakpoints.all[$0].isLog
        }
        guard let place = places.first, let task = tasks.first(where: { $0.waiting != nil })
        else { return }
        store.breakpoints.all[place].times = nil
        store.breakpoints.all[place].hits = store.breakpoints.all[place].atHit ?? 1
        store.breakpoints.all[place].passes = [task.id]
        let hit = BreakpointHit(store.breakpoints.all[place], at: task)
        if let pause = Pause(hits: [hit], since: real + -1000) { queue.pauses.append(pause) }
    }

    private mutating func drawFaults() {
        for number in 1...Int64(1 + random.below(3)) {
            guard let filter = try? TaskFilter(random.pick(Self.filters)),
                var one = try? Fault(
                    number: number, filter: filter,
                    kind: random.pick([.fail(nil), .twice, .delay(milliseconds: 5)]),
                    limit: .times(1 + random.below(3)), by: "ann")
            else { continue }
            one.until = random.once(in: 3) ? real + Int64(random.below(60)) : nil
            store.faults.all.append(one)
            store.faults.last = number
        }
    }
}
