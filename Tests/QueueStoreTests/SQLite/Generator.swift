import SluiceModel
import SluiceStore

/// Values of every shape, the same for the same seed.
struct Generator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: Int) { state = UInt64(seed) &* 0x9E37_79B9_7F4A_7C15 &+ 99 }

    mutating func next() -> UInt64 {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return state
    }

    mutating func flag() -> Bool { next() & 256 == 0 }

    mutating func pick<Element>(_ from: [Element]) -> Element {
        from[Int(next() >> 33) % from.count]
    }

    mutating func maybe<Value>(_ value: (inout Generator) -> Value) -> Value? {
        flag() ? value(&self) : nil
    }

    mutating func text() -> String {
        pick(["", "a", "O'Neil \"x\"", "naïve\n\u{1B}[1m", "a\0b", "日本", "null", "7"])
    }

    mutating func number() -> Int64 { pick([0, 1, -1, 7, 1 << 40, .min, .max]) }

    mutating func count() -> Int { pick([0, 1, 2, 500]) }

    mutating func moment() -> Timestamp { at(Int64(next() % 1000)) }

    mutating func policy() -> StartFailurePolicy? { maybe { $0.pick(StartFailurePolicy.allCases) } }
}

extension Generator {
    mutating func waiting() -> Waiting {
        var waiting = Waiting()
        waiting.timer = maybe {
            WaitTimer(until: $0.moment(), cause: $0.pick([.retry, .notBefore]), since: $0.moment())
        }
        waiting.skip = maybe {
            Skip(
                by: $0.text(), since: $0.moment(), until: $0.maybe { $0.moment() },
                endsWithRun: $0.flag())
        }
        waiting.parking = maybe {
            Parking(
                cause: $0.pick(Parking.Cause.allCases), detail: $0.text(), since: $0.moment(),
                owner: $0.maybe { $0.number() })
        }
        waiting.attemptedInRun = flag()
        waiting.lingering = maybe { $0.lingering() }
        return waiting
    }

    mutating func lingering() -> Lingering {
        Lingering(
            kind: pick([.abandoned, .orphan]), owner: number(), attempt: count(),
            pid: maybe { $0.number() })
    }

    mutating func running() -> Running {
        var lease = Running(
            owner: number(), token: number(), attempt: count(), since: moment(), isStep: flag())
        lease.stop = maybe { $0.pick([.timedOut, .cancelled, .deleted, .stopped]) }
        lease.deletion = maybe {
            var deletion = Deletion(by: $0.text(), members: $0.policy())
            deletion.isByClient = $0.flag()
            return deletion
        }
        lease.notBefore = maybe { $0.moment() }
        lease.injection = Self.injection(of: lease.token)
        return lease
    }

    private static func injection(of number: Int64) -> Injection? {
        let kinds: [Fault.Kind?] = [
            nil, .fail("é=b"), .delay(milliseconds: 61_001), nil, .crashAfter, .giveUp(nil),
        ]
        let kind = kinds[Int(number.magnitude % UInt64(kinds.count))]
        return kind.map { Injection(fault: number, kind: $0) }
    }

    mutating func state(depth: Int = 0) -> TaskState {
        switch next() % (depth > 2 ? 4 : 6) {
        case 0: .running(running())
        case 1: .succeeded(Success(at: moment(), isAcknowledged: flag()))
        case 2:
            .failed(
                Failure(
                    at: moment(), reason: text(), startPolicy: policy(), isAcknowledged: flag(),
                    lingering: maybe { $0.lingering() }))
        case 3: .waiting(waiting())
        case 4: .waiting(Waiting())
        default:
            .deleted(
                Trash(
                    at: moment(), by: text(), former: state(depth: depth + 1),
                    startPolicy: policy(), isAcknowledged: flag()))
        }
    }

    mutating func task(_ id: TaskID, queue: String = "q") -> QueueTask {
        var task = QueueTask(
            id: id, queue: queue, type: pick(["mail", "push", "é"]), position: id * 16,
            createdAt: moment(), state: state())
        task.priority = Int(number())
        task.sortKey = maybe { $0.flag() ? .integer($0.number()) : .text($0.text()) }
        task.groupStart = maybe { $0.pick(["g", "h"]) }
        task.groupMembers = pick([[], ["g"], ["h", "g"], ["own"]])
        task.requires = pick([[], [.network], [.unmetered], [.network, .unmetered]])
        task.isRequired = flag()
        task.attempts = count()
        task.executions = count()
        task.offlineInSuccession = count()
        task.losses = count()
        task.lossesInSuccession = count()
        task.attemptLimit = maybe { $0.count() }
        task.expiresAt = maybe { $0.moment() }
        task.uniqueKey = maybe { $0.pick(["k", "l"]) }
        task.session = maybe { $0.text() }
        task.clientString = maybe {
            $0.flag() ? ClientString($0.text()) : ClientString(bytes: $0.pick([[], [255, 0]]))
        }
        task.collector = maybe { $0.number() }
        task.parent = maybe { $0.pick([1, 2]) }
        task.depth = count()
        task.label = maybe { $0.text() }
        task.updatedAt = moment()
        task.version = number()
        task.lastError = maybe { $0.text() }
        task.isHeld = flag()
        task.freshAt = flag() ? moment() : Timestamp(milliseconds: 0)
        return task
    }
}

extension Generator {
    mutating func settings() -> QueueSettings {
        var settings = QueueSettings()
        settings.order = pick(QueueOrder.allCases)
        settings.concurrency = count()
        settings.afterFailure = pick(AfterFailure.allCases)
        settings.start = pick([.continuous, .manual, .batched(count: 3, delayMilliseconds: 9)])
        settings.priority = Int(number())
        settings.attemptLimit = maybe { $0.count() }
        settings.retry = pick([
            .fixed(milliseconds: 0), .linear(baseMilliseconds: .min, stepMilliseconds: .max),
            .exponential(
                baseMilliseconds: 1, factor: 1.1, capMilliseconds: .max, jitter: 0.3),
            .polynomial(baseMilliseconds: 2, power: 1e-9, capMilliseconds: 8),
        ])
        settings.timeoutMilliseconds = maybe { $0.number() }
        settings.stuckAfterMilliseconds = number()
        settings.expiresAfterMilliseconds = maybe { $0.number() }
        settings.startsExpire = flag()
        settings.keepFinished = pick([.none, .last(0), .milliseconds(5), .acknowledged])
        settings.retentionMilliseconds = maybe { $0.number() }
        settings.whenStartFails = pick(StartFailurePolicy.allCases)
        settings.priorityNames =
            PriorityNames(maybe { [("a", Int($0.number())), ("b", Int($0.number()))] } ?? [])
            ?? PriorityNames()
        settings.maximumLength = maybe { $0.count() }
        settings.maximumDepth = count()
        settings.maximumPayloadBytes = count()
        settings.preset = maybe { $0.text() }
        return settings
    }

    mutating func pause() -> Pause {
        var pause = Pause(
            cause: pick(Pause.Cause.allCases), by: text(), reason: maybe { $0.text() },
            since: moment(), until: maybe { $0.moment() },
            direction: pick(Pause.Direction.allCases))
        pause.owner = maybe { $0.number() }
        if pause.cause == .app { pause.isOfStore = flag() }
        if pause.cause == .breakpoint {
            pause.hits = [
                BreakpointHit(
                    breakpoint: number(), match: count(), moment: pick(Breakpoint.Moment.allCases),
                    task: number(), type: text(), at: maybe { $0.moment() },
                    until: maybe { $0.moment() }, isPassed: flag())
            ]
        }
        return pause
    }

    mutating func queue(_ name: String = "q") -> QueueRecord {
        var queue = QueueRecord(name: name, settings: settings(), createdAt: moment())
        queue.pauses = flag() ? [] : [pause(), pause()]
        queue.run = maybe {
            var run = Run(
                number: $0.number(), since: $0.moment(),
                limit: $0.pick([nil, .task(4), .count(5), .time(at(6))]))
            run.attempted = $0.count()
            run.hadSuccess = $0.flag()
            return run
        }
        queue.lastRunEnd = maybe { $0.moment() }
        queue.barrenRuns = count()
        queue.wakes = flag() ? [] : [wake(), wake()]
        queue.version = number()
        return queue
    }

    mutating func wake() -> GroupWake {
        var wake = GroupWake(group: text())
        wake.cursor = maybe { OrderKey(bytes: $0.pick([[], [0, 255], [1, 2, 3]])) }
        wake.taking = maybe { generator in
            var taking = GroupWake.Taking(
                start: generator.number(), position: generator.number(),
                below: generator.number(), deletedBy: generator.maybe { $0.text() })
            taking.verb = generator.maybe {
                GroupWake.VerbPlace(event: $0.number(), person: $0.text())
            }
            return taking
        }
        return wake
    }

    mutating func undo() -> UndoRecord {
        var undo = UndoRecord()
        for id in 1...Int64(1 + next() % 3) {
            undo.tasks.append(
                UndoRecord.TaskImage(
                    id: id, before: maybe { $0.task(id) },
                    payloadBefore: pick([nil, [], [0, 255, 16]]), versionAfter: number()))
        }
        undo.queue = maybe { $0.queue() }
        undo.queueVersionAfter = maybe { $0.number() }
        undo.storePausesBefore = pick([nil, [], [pause()]])
        undo.breakpoints = [.init(number: number(), before: nil)]
        undo.faults = [.init(number: number(), before: nil)]
        undo.clock = .init(
            before: flag() ? nil : ClockSetting(.frozen(at: moment()), by: text(), since: moment()),
            after: ClockSetting(.offset(number()), by: text(), since: moment()))
        undo.results = [.init(number: number(), before: pick([nil, [], [0, 255]]))]
        undo.queues = maybe { [.init(before: $0.queue(), versionAfter: $0.number())] } ?? []
        undo.network = maybe { .init(forced: $0.pick([nil, true, false])) }
        let schedule = Schedule(
            name: text(), spec: .every(milliseconds: 1000), queue: text(), type: text(),
            payload: [0, 255], by: text())
        undo.schedules = [
            .init(name: schedule.name, before: pick([nil, schedule]), after: schedule)
        ]
        undo.checkpoints = [
            .init(taken: number(), name: text()),
            .init(
                ended: Checkpoint(
                    number: number(), name: text(), at: moment(), by: text(), sequence: number(),
                    lastTask: number())),
        ]
        undo.filters = [.init(name: text(), before: pick([nil, text()]), after: pick([nil, "x"]))]
        return undo
    }

    mutating func process() -> ProcessRecord {
        var process = ProcessRecord(
            id: number(), role: pick([.runner, .console, .command, .program]), host: text(),
            bootID: text(), pid: number(), lockName: text(), attachedAt: moment())
        process.startTime = maybe { UInt64(bitPattern: $0.number()) }
        process.slots = count()
        process.types = pick([nil, [], ["a", "é"]])
        process.queues = pick([nil, [], ["q"]])
        process.brokers = pick([
            [],
            [QueueBroker(prefix: "a-", types: nil), QueueBroker(prefix: "é", types: ["t"])],
            [
                QueueBroker(.chosen(["q", "é"]), types: ["t"]),
                QueueBroker(.chosen([]), types: nil),
            ],
        ])
        process.contested = pick([[], [ContestedQueue(queue: "q", handlers: ["a", "b"])]])
        process.pausedQueues = pick([[], ["q", "é"]])
        process.pausesStore = flag()
        process.network = pick([nil] + NetworkState.allCases)
        process.offlineUntil = maybe { $0.moment() }
        process.editing = maybe {
            EditLease(
                task: Int64($0.next() % 9), version: Int64($0.next() % 9), by: $0.text(),
                until: $0.moment(), untilInstant: Int64($0.next() % 9999))
        }
        process.isStopping = flag()
        return process
    }

    mutating func attempt(_ task: QueueTask, _ number: Int) -> AttemptRecord {
        var attempt = AttemptRecord(
            task: task, number: number, runner: self.number(), startedAt: moment())
        attempt.endedAt = maybe { $0.moment() }
        attempt.outcome = attempt.endedAt == nil ? nil : pick(AttemptRecord.Outcome.allCases)
        attempt.isCounted = flag()
        attempt.error = maybe { $0.text() }
        attempt.fraction = pick([nil, 0, 0.1, 1])
        attempt.progressText = maybe { $0.text() }
        attempt.log = pick([[], ["one\n", "zwölf", ""]])
        attempt.childPID = maybe { $0.number() }
        attempt.childStartTime = pick([nil, 0, .max])
        attempt.consequence = maybe { $0.text() }
        attempt.injection = Self.injection(of: attempt.runner)
        return attempt
    }
}
