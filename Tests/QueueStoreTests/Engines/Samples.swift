import SluiceModel

/// Tasks in every state and with every field, as values to be kept and found again.
enum Samples {
    /// Ways to wait, one for each reason and some together.
    static let waits: [Waiting] = {
        var all = [Waiting()]
        for cause in [WaitTimer.Cause.retry, .notBefore] {
            all.append(Waiting(timer: WaitTimer(until: at(50), cause: cause, since: at(1))))
        }
        for (until, endsWithRun) in [(nil, false), (at(40), false), (nil, true)]
            as [(Timestamp?, Bool)]
        {
            var waiting = Waiting()
            waiting.skip = Skip(by: "ann", since: at(2), until: until, endsWithRun: endsWithRun)
            all.append(waiting)
        }
        for cause in Parking.Cause.allCases {
            var waiting = Waiting()
            waiting.parking = Parking(cause: cause, detail: "é\n", since: at(3), owner: 7)
            all.append(waiting)
        }
        for kind in [Lingering.Kind.abandoned, .orphan] {
            var waiting = Waiting()
            waiting.lingering = Lingering(kind: kind, owner: 9, attempt: 2, pid: 4711)
            waiting.attemptedInRun = true
            all.append(waiting)
        }
        var everything = Waiting(timer: WaitTimer(until: at(60), cause: .retry, since: at(5)))
        everything.skip = Skip(by: "bob", since: at(2), until: at(55), endsWithRun: false)
        everything.parking = Parking(cause: .lost, detail: "", since: at(4))
        everything.lingering = Lingering(kind: .orphan, owner: 3, attempt: 1)
        everything.attemptedInRun = true
        all.append(everything)
        return all
    }()

    static let leases: [Running] = {
        let plain = Running(owner: 5, token: 77, attempt: 3, since: at(6))
        var stopped = Running(owner: 6, token: .max, attempt: 1, since: at(7), isStep: true)
        stopped.stop = .cancelled
        var deleted = stopped
        deleted.stop = .deleted
        deleted.deletion = Deletion(by: "cleo", members: .giveUp)
        deleted.deletion?.isByClient = true
        deleted.notBefore = at(90)
        return [plain, stopped, deleted]
    }()

    /// Every state, with the variants of each.
    static let states: [TaskState] = {
        let waiting = waits.map(TaskState.waiting)
        let running = leases.map(TaskState.running)
        let failures = [nil, .hold, .release, .giveUp].map { policy in
            TaskState.failed(
                Failure(
                    at: at(30), reason: "boom", startPolicy: policy,
                    isAcknowledged: policy == .release))
        }
        let successes = [false, true].map { isAcknowledged in
            TaskState.succeeded(Success(at: at(31), isAcknowledged: isAcknowledged))
        }
        let live = waiting + running + failures + successes
        let trash = [waiting[0], waiting[waiting.count - 1], failures[1], successes[0]].map {
            former in
            let isKnown = former.name == .failed
            return TaskState.deleted(
                Trash(
                    at: at(32), by: "dora", former: former, startPolicy: .release,
                    isAcknowledged: isKnown))
        }
        return live + trash
    }()

    /// Gives a task a value in every field.
    static func fill(_ task: inout QueueTask, _ number: Int) {
        task.type = ["mail", "push", "naïve \"type\""][number % 3]
        task.priority = [Int.min, -1, 0, 5, .max][number % 5]
        task.sortKey = [nil, .integer(.min), .integer(9), .text(""), .text("a\0b")][number % 5]
        task.groupStart = number % 4 == 1 ? "g\(number % 3)" : nil
        task.groupMembers = number % 3 == 0 ? ["g0", "g1", "group of its own"] : []
        task.requires = [[], [.network], [.network, .unmetered]][number % 3]
        task.isRequired = number % 2 == 0
        task.attempts = number
        task.executions = number + 4
        task.offlineInSuccession = 2
        task.losses = 3
        task.lossesInSuccession = 1
        task.attemptLimit = number % 2 == 0 ? nil : 12
        task.expiresAt = number % 3 == 0 ? at(500) : nil
        task.uniqueKey = number % 2 == 0 ? "key \(number)" : nil
        task.session = number % 5 == 0 ? "s" : nil
        task.clientString = [nil, "", "é", ClientString(bytes: [0xFF, 0])][number % 4]
        task.collector = number % 3 == 0 ? ProcessID(number) : nil
        task.parent = number % 2 == 0 ? 12 : nil
        task.depth = number
        task.label = number % 2 == 0 ? "a label" : nil
        task.updatedAt = at(Int64(number))
        task.version = Int64(number) + 3
        task.lastError = number % 2 == 0 ? "error\u{1B}[31m" : nil
        task.isHeld = number % 2 == 0
        task.freshAt = at(Int64(number % 3))
    }
}
