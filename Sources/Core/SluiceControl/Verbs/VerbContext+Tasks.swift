import SluiceModel
import SluiceStore

/// The verbs that act on tasks, one or several (D5 to D8, D10).
extension VerbContext {
    func performOnTasks(_ verb: Verb) throws {
        let targets = verb.targets
        var queues: Set<String> = []
        for (place, target) in targets.enumerated() {
            do {
                let task = try task(target)
                let id = try act(verb, on: task, at: place)
                answer.changed.append(id)
                queues.insert(task.queue)
            } catch let error as QueueError {
                // One named task answers with its error; several go on and name what failed.
                guard slice.total > 1, error.isRefusal else { throw error }
                let version = try store.task(target.id)?.version
                answer.failed.append(
                    Answer.Failure(id: target.id, error: error, version: version))
            }
        }
        guard !answer.changed.isEmpty else { return }
        var text = verb.sentence(answer.changed, by: person)
        if !slice.isWhole {
            let end = NumberText.grouped(slice.places.upperBound)
            text += " (\(end) of \(NumberText.grouped(slice.total)))"
        }
        try journal(
            verb.name, queue: queues.count == 1 ? queues.first : nil,
            task: answer.changed.count == 1 ? answer.changed.first : nil, text,
            undo: verb.canBeUndone ? mutation.undo : nil)
    }

    /// Does the verb to the task at that place of the slice; gives the number that is answered.
    private func act(_ verb: Verb, on task: QueueTask, at place: Int) throws -> TaskID {
        switch verb {
        case .skip(_, let milliseconds): try skip(task, milliseconds)
        case .unskip: try mutation.apply(.unskip, to: task)
        case .delete(_, let cancels, let members):
            try delete(task, cancelsRunning: cancels, members: members)
        case .undelete: try undelete(task)
        case .retry(_, let over):
            try retry(
                task, at: over.map { slice.moment(from: slice.began, over: $0, at: place) })
        case .postpone(_, let until, let over):
            let until = slice.moment(from: until, over: over ?? 0, at: place)
            try mutation.apply(.postpone(until: until), to: task)
        case .priority(_, let value): try setPriority(task, value)
        case .moveToQueue(_, let name): try moveToQueue(task, name)
        case .edit(_, let payload, let fields): try edit(task, payload: payload, fields)
        case .duplicate: return try duplicate(task)
        case .cancel:
            guard task.running != nil else {
                throw QueueError.notLegal(
                    "task #\(task.id) does not run", fix: "skip or delete it instead")
            }
            try mutation.apply(.requestStop(.cancelled, nil), to: task)
        case .reclaim: try reclaim(task)
        case .acknowledge: try mutation.acknowledge(task)
        case .purge(_, let members): try purge(task, members: members)
        default: break
        }
        return task.id
    }

    private func skip(_ task: QueueTask, _ milliseconds: Int64?) throws {
        let queue = try mutation.queue(task.queue)
        var isBatched = false
        if case .batched = queue.settings.start { isBatched = true }
        let skip = Skip(
            by: person, since: now, until: milliseconds.map { now + $0 },
            endsWithRun: isBatched && milliseconds == nil)
        try mutation.apply(.skip(skip), to: task)
        try sayHeld(by: task)
    }

    /// A number of members that was counted no further than to a limit.
    private static func atLeast(_ held: Int) -> String {
        held < Reading.heldBackLimit ? "\(held)" : "\(held) or more"
    }

    private func sayHeld(by task: QueueTask) throws {
        let held = try Reading(store, now: now).heldBack(by: task)
        guard held > 0, let group = task.groupStart else { return }
        let word = held == 1 ? "task" : "tasks"
        answer.consequences.append(
            "\(Self.atLeast(held)) \(word) of \(group) stay held by #\(task.id)")
    }

    private func delete(
        _ task: QueueTask, cancelsRunning: Bool, members: StartFailurePolicy?
    ) throws {
        let deletion = Deletion(by: person, members: members)
        if task.running != nil, cancelsRunning {
            try mutation.apply(.requestStop(.deleted, deletion), to: task)
        } else {
            let held = try Reading(store, now: now).heldBack(by: task)
            let change = try mutation.apply(.delete(deletion), to: task)
            if held > 0, let policy = change.task.endedStartPolicy {
                let word = held == 1 ? "member" : "members"
                let fate =
                    switch policy {
                    case .hold: "stay held"
                    case .release: "are free"
                    case .skipRun: "sit out the run that is open"
                    case .giveUp: "are given up"
                    }
                answer.consequences.append(
                    "\(Self.atLeast(held)) \(word) of \(task.groupStart ?? "") \(fate)")
            }
        }
    }

    private func undelete(_ task: QueueTask) throws {
        if case .deleted(let trash) = task.state, case .waiting = trash.former {
            try refuseTakenKey(task)
        }
        try mutation.apply(.undelete, to: task)
    }

    /// Due now, or at a moment of a bulk that is spread.
    private func retry(_ task: QueueTask, at moment: Timestamp?) throws {
        if task.waiting == nil { try refuseTakenKey(task) }
        let due = try mutation.apply(.retry, to: task).task
        guard let moment, moment > now else { return }
        try mutation.apply(.postpone(until: moment), to: due)
    }

    /// A key that another waiting task has is not taken from it (T5).
    func refuseTakenKey(_ task: QueueTask, in queue: String? = nil) throws {
        guard let key = task.uniqueKey else { return }
        let holders = try store.uniqueHolders(
            queue: queue ?? task.queue, type: task.type, key: key, includingRunning: false)
        guard let other = holders.first(where: { $0 != task.id }) else { return }
        throw QueueError(
            .uniqueTaken, "#\(other) waits with the unique key \"\(key)\" of #\(task.id)",
            fix: "delete #\(other) first")
    }

    private func setPriority(_ task: QueueTask, _ value: PriorityWord) throws {
        try mutation.apply(.edit([.priority(value)]), to: task)
        let order = try mutation.queue(task.queue).settings.order
        if order != .priority, answer.consequences.isEmpty {
            answer.consequences.append(
                "the order of \(task.queue) is \(order.rawValue), so it has no effect there")
        }
    }

    private func edit(_ task: QueueTask, payload: [UInt8]?, _ fields: [FieldChange]) throws {
        var changes = fields.map { field -> FieldChange in
            if case .type(let type) = field { return .type(Names.composed(type)) }
            return field
        }
        try check(changes, of: task)
        if let payload {
            let settings = try mutation.queue(task.queue).settings
            try settings.check(payloadBytes: payload.count, queue: task.queue)
            let before = try store.payload(of: task.id)
            changes.append(.payload)
            let change = try task.applying(.edit(changes), settings: settings, now: now)
            mutation.record(before: task, after: change.task, payloadBefore: before)
            try store.setPayload(payload, of: task.id)
        }
        try mutation.apply(.edit(changes), to: task)
    }

    /// The limits of T5 and T6 hold for what is edited too.
    private func check(_ fields: [FieldChange], of task: QueueTask) throws {
        for field in fields {
            switch field {
            case .type(let type):
                try Names.check(type, of: "type")
                var renamed = task
                renamed.type = type
                if task.waiting != nil { try refuseTakenKey(renamed) }
            case .attemptLimit(let limit?) where limit < 1:
                throw QueueError(
                    .badValue, "attempts is \(limit)", fix: "a task needs at least 1 attempt")
            default: break
            }
        }
    }

    private func duplicate(_ task: QueueTask) throws -> TaskID {
        let request = EnqueueRequest(
            copying: task, payload: try store.payload(of: task.id) ?? [])
        return try mutation.enqueue([request], to: task.queue).ids.first ?? task.id
    }

    /// Takes a task from an owner that a person knows to be dead (D7).
    private func reclaim(_ task: QueueTask) throws {
        if let lease = task.running {
            var completion = Completion(task: task.id, token: lease.token, ending: .lost)
            completion.chance = chance
            _ = try mutation.settle([completion])
        } else {
            try mutation.apply(.endLingering, to: task)
        }
    }

    private func purge(_ task: QueueTask, members: MemberFate?) throws {
        guard task.endedAt != nil else {
            throw QueueError.notLegal(
                "task #\(task.id) is \(task.state.name.rawValue)", fix: "delete it first")
        }
        if task.isAwaited {
            throw QueueError.notLegal(
                "session \(task.session ?? "") has not heard of the end of #\(task.id)",
                fix: "sluice acknowledge \(task.id) says that nobody needs it")
        }
        if task.holdsMembers, try Reading(store, now: now).heldBack(by: task) > 0 {
            guard let members else {
                throw QueueError.notLegal(
                    "#\(task.id) still holds members of \(task.groupStart ?? "")",
                    fix: "add --members release, giveUp or delete")
            }
            try free(members, of: task)
        }
        try store.remove([task.id])
    }

    private func free(_ fate: MemberFate, of start: QueueTask) throws {
        switch fate {
        case .release: try mutation.apply(.endStartHold(.release), to: start)
        case .giveUp: try mutation.apply(.endStartHold(.giveUp), to: start)
        case .delete:
            try mutation.apply(.endStartHold(.release), to: start)
            try mutation.take(membersOf: start, deletedBy: person)
        }
    }

    private func moveToQueue(_ task: QueueTask, _ name: String) throws {
        guard task.waiting != nil else { throw task.refusal("move") }
        guard !task.hasGroupRole else {
            throw QueueError.notLegal(
                "task #\(task.id) belongs to a group of \(task.queue)",
                fix: "a task with a group is not moved to another queue")
        }
        _ = try mutation.queue(name)
        try refuseTakenKey(task, in: name)
        var moved = task.withoutEdit
        moved.queue = name
        moved.position = try store.lastPosition(queue: name) + positionGap
        moved.version += 1
        moved.updatedAt = now
        moved.freshAt = now
        if var waiting = moved.waiting {
            // The marks of a run stay with its queue.
            waiting.attemptedInRun = false
            if waiting.skip?.endsWithRun == true { waiting.skip = nil }
            moved.state = .waiting(waiting)
        }
        try store.update([moved])
        mutation.record(before: task, after: moved)
    }
}

extension QueueTask {
    /// The sentence for a verb that the state does not allow.
    func refusal(_ verb: String) -> QueueError {
        .notLegal(
            "task #\(id) is \(state.name.rawValue), so it cannot \(verb)",
            fix: "only a waiting task can")
    }
}
