import SluiceModel
import SluiceSystem

extension RQSystem {
    func detail(_ reference: String) throws -> ForeignDetail? {
        guard let job = try RQJob.read([reference], redis).first, !job.fields.isEmpty else {
            return nil
        }
        let queue = job.fields["origin"]?.text ?? ""
        var task = job.task(reference, queue, job.display)
        // A job without a status is what the list that has it says.
        if task.display == .due || job.fields["status"] == nil {
            if let place = try place(of: reference, in: queue) {
                task.display = place.display
            } else if try intermediatePlace(of: reference, in: queue) != nil {
                task.display = .taken
            }
        }
        if task.display == .delayed {
            task.notBefore = try timer(of: task)?.at
        }
        let results = try redis.look("XRANGE", RQJob.results(reference), "-", "+")
        return Self.detail(task, job, results)
    }

    /// The hashes and the results of a page of jobs, in few questions.
    func details(of tasks: [ForeignTask]) throws -> [ForeignDetail?] {
        let jobs = try RQJob.read(tasks.map(\.reference), redis)
        let results = try redis.pipeline(
            tasks.map { RedisCommand("XRANGE", RQJob.results($0.reference), "-", "+") })
        return tasks.indices.map { place in
            guard !jobs[place].fields.isEmpty else { return nil }
            return Self.detail(tasks[place], jobs[place], results[place])
        }
    }

    private static func detail(
        _ task: ForeignTask, _ job: RQJob, _ results: RedisValue
    ) -> ForeignDetail {
        var detail = ForeignDetail(task: task, payload: job.payload)
        detail.attempts = attempts(results.array)
        if task.display == .failed, task.error == nil {
            detail.task.error = detail.attempts.last?.error.map(RQJob.lastLine)
        }
        for (name, value) in job.fields.sorted(by: { $0.key < $1.key })
        where !["data", "exc_info", "result", "description"].contains(name) && value.text != "" {
            detail.fields[name] = .string(value.text ?? "")
        }
        if let recurrence = job.recurrence {
            detail.fields["rq-scheduler"] = .string(recurrence)
            // A moment that has begun is a job like any other.
            if detail.task.display == .delayed { detail.task.recurrence = recurrence }
        }
        return detail
    }

    func obstacle(of detail: ForeignDetail) throws -> String? {
        switch detail.task.display {
        case .blocked: try dependencies(of: detail)
        case .taken: try hesitation(of: detail.task)
        default: nil
        }
    }

    private func dependencies(of detail: ForeignDetail) throws -> String? {
        // Two colons: its prefix ends with one already.
        let key = Array("rq:job::\(detail.task.reference):dependencies".utf8)
        let fields = detail.fields
        let told = fields["dependency_ids"]?.string.flatMap { try? JSONValue.parse($0) }?.array
        let all = try redis.look("SMEMBERS", key).array.compactMap(\.text).sorted()
        let ids =
            told?.compactMap(\.string) ?? (all.isEmpty ? nil : all)
            ?? [fields["dependency_id"]?.string].compactMap { $0 }
        let open = try zip(
            ids, redis.pipeline(ids.map { RedisCommand("HGET", RQJob.key($0), "status") })
        ).filter { $1.text != "finished" }
        guard !open.isEmpty else { return nil }
        let words = open.prefix(3).map { "\($0) (\($1.text ?? "gone"))" }
        let more = open.count > 3 ? " and \(open.count - 3) more" : ""
        let failed = open.first { $1.text == "failed" || $1.text == "stopped" }?.0
        let fix = failed.map { ": sluice \(ShellWord.command("retry", $0))" } ?? ""
        return "it depends on \(words.joined(separator: ", "))\(more)\(fix)"
    }

    /// Describes a job that a worker took but did not begin. The job stays there if the worker
    /// dies; RQ gives it up after another worker has seen it for a minute.
    private func hesitation(of task: ForeignTask) throws -> String {
        let key = "\(Self.intermediate(task.queue)):first_seen:\(task.reference)"
        let seen = try redis.look("GET", key).text.flatMap { Double($0) }
            .flatMap(ForeignTime.moment(seconds:))
        guard let seen else {
            return "a worker took it and has not begun it; RQ gives it up a minute after another "
                + "worker has seen it so"
        }
        return "a worker took it before \(TimeText.rfc3339(seen)) and has not begun it; RQ gives "
            + "it up after a minute"
    }

    /// The last attempts of a job; RQ keeps ten.
    private static func attempts(_ entries: [RedisValue]) -> [ForeignAttempt] {
        entries.enumerated().map { index, entry in
            let fields = entry.array.last?.dictionary ?? [:]
            var attempt = ForeignAttempt(number: index + 1)
            attempt.outcome = outcome(fields["type"]?.integer)
            attempt.runner = fields["worker_name"]?.text
            let times = ["execution_started_at", "execution_ended_at"].map { name in
                fields[name]?.text.flatMap { Double($0) }.flatMap(ForeignTime.moment(seconds:))
            }
            (attempt.startedAt, attempt.endedAt) = (times[0], times[1])
            attempt.error = RQJob.error(ofResult: fields)
            return attempt
        }
    }

    private static func outcome(_ type: Int64?) -> String? {
        switch type {
        case 1: "success"
        case 2: "giveUp"
        case 3: "stopped"
        case 4, 5: "retry"
        default: nil
        }
    }

    func end(of task: ForeignTask, since: Int64) throws -> (outcome: String?, error: String?)? {
        let job = RQJob(try redis.look("HGETALL", RQJob.key(task.reference)).dictionary)
        // A job whose result is not kept goes when it has succeeded.
        if job.fields.isEmpty { return ("success", nil) }
        let last = try redis.look(
            "XREVRANGE", RQJob.results(task.reference), "+", "\(since)-0", "COUNT", 1)
        let result = last.array.first?.array.last?.dictionary ?? [:]
        // Newer versions store the error separately from the job.
        let error = job.error ?? RQJob.error(ofResult: result).map(RQJob.lastLine)
        switch job.fields["status"]?.text {
        case "finished": return ("success", nil)
        case "failed": return ("giveUp", error)
        case "stopped": return ("stopped", error)
        case "scheduled", "queued": return result["type"] == nil ? nil : ("retry", error)
        default: return nil
        }
    }

    func steps(of change: ForeignChange, on detail: ForeignDetail) throws -> RedisSteps {
        let task = detail.task
        guard task.display != .taken else {
            throw QueueError.notLegal(
                "a worker has taken task \(task.reference)",
                fix: "sluice \(ShellWord.command("why", task.reference))")
        }
        let place = try place(of: task.reference, in: task.queue)
        switch change {
        case .delete: return try delete(task, place)
        case .retry: return try retry(detail)
        case .edit(let value):
            guard task.display.state == .waiting || task.display == .failed else {
                throw QueueError.notLegal("task \(task.reference) does not wait")
            }
            let packed = try CallPayload.write(value, like: detail.payload)
            var steps = RedisChange()
            steps.keep(RQJob.key(task.reference))
            steps.require(
                RQJob.key(task.reference), "status", detail.fields["status"]?.string ?? "")
            steps.call(RedisCommand("HSET", RQJob.key(task.reference), "data", packed))
            return (steps, ["its description keeps the old arguments"])
        case .postpone(let moment):
            return try postpone(task, place, moment)
        default:
            guard let place else {
                throw QueueError.notLegal("task \(task.reference) waits in no list")
            }
            return try changeOfPlace(place, change)
        }
    }

    private func registry(of task: ForeignTask) throws -> [UInt8]? {
        if task.display == .delayed, let timer = try timer(of: task) { return timer.set }
        let words: [ForeignTask.Display: String] = [
            .delayed: "scheduled", .failed: "failed", .succeeded: "finished",
            .cancelled: "canceled", .blocked: "deferred",
        ]
        return words[task.display].map { Array("rq:\($0):\(task.queue)".utf8) }
    }

    private func delete(
        _ task: ForeignTask, _ place: ListPlace?
    ) throws -> RedisSteps {
        var steps = RedisChange()
        if let place {
            steps.take(place.element, from: place.list)
        } else if let set = try registry(of: task) {
            steps.removeMember(Array(task.reference.utf8), from: set)
        } else {
            throw QueueError.notLegal("task \(task.reference) is running")
        }
        let key = RQJob.key(task.reference)
        let results = RQJob.results(task.reference)
        steps.keep(key)
        steps.keep(results)
        steps.call(RedisCommand("DEL", key, results))
        let dependents = key + Array(":dependents".utf8)
        let count = try redis.look("SCARD", dependents).integer ?? 0
        return (steps, count == 0 ? [] : ["\(count) jobs that depend on it wait for ever"])
    }

    private func retry(_ detail: ForeignDetail) throws -> RedisSteps {
        let task = detail.task
        guard [.failed, .delayed, .cancelled].contains(task.display),
            let set = try registry(of: task)
        else {
            throw QueueError.notLegal(
                "task \(task.reference) has not failed and waits for no time")
        }
        let key = RQJob.key(task.reference)
        if set == Self.schedulerSet, let recurrence = detail.fields["rq-scheduler"]?.string {
            throw QueueError.notLegal(
                "rq-scheduler runs task \(task.reference) again and again, \(recurrence): a retry "
                    + "would end that",
                fix: "sluice \(ShellWord.command("postpone", task.reference, " 1s"))")
        }
        var steps = RedisChange()
        steps.removeMember(Array(task.reference.utf8), from: set)
        steps.keep(key)
        steps.call(RedisCommand("HSET", key, "status", "queued"))
        steps.call(RedisCommand("HDEL", key, "started_at", "ended_at", "exc_info"))
        let consequences = try enqueue(Array(task.reference.utf8), in: task.queue, &steps)
        return (steps, consequences)
    }

    private func postpone(
        _ task: ForeignTask, _ place: ListPlace?, _ moment: Timestamp
    ) throws -> RedisSteps {
        let key = RQJob.key(task.reference)
        let timer = try timer(of: task)
        var steps = RedisChange()
        if let place {
            steps.take(place.element, from: place.list)
        } else if task.display != .delayed {
            throw QueueError.notLegal("task \(task.reference) does not wait")
        }
        steps.putMember(
            Array(task.reference.utf8),
            into: timer?.set ?? Array("rq:scheduled:\(task.queue)".utf8),
            score: Double(moment.milliseconds) / 1000)
        steps.keep(key)
        steps.call(RedisCommand("HSET", key, "status", "scheduled"))
        let isOfScheduler = timer?.set == Self.schedulerSet
        let back =
            isOfScheduler
            ? "the process rqscheduler brings it into its queue"
            : "a worker with RQ's scheduler brings it back, rq worker --with-scheduler"
        return (steps, [back])
    }
}

extension RQSystem {
    /// The worker that began a job. RQ forgets a dead worker some minutes after its last heartbeat.
    /// The score of a job in its registry is the moment until which RQ believes that it runs.
    func holder(of detail: ForeignDetail) throws -> ForeignHolder? {
        let (task, fields) = (detail.task, detail.fields)
        guard task.display == .running, let worker = fields["worker_name"]?.string else {
            return nil
        }
        let answers = try redis.lookAll([
            RedisCommand("HGET", "rq:worker:\(worker)", "last_heartbeat"),
            RedisCommand("ZRANGE", "rq:executions:\(task.reference)", 0, -1),
        ])
        let runs = answers[1].array.compactMap(\.text).map { "\(task.reference):\($0)" }
        let scores = try redis.lookAll(
            ([task.reference] + runs).map { RedisCommand("ZSCORE", "rq:wip:\(task.queue)", $0) })
        let end = scores.compactMap { $0.text.flatMap { Double($0) } }.max()
            .flatMap(ForeignTime.moment(seconds:))
        let time = end.map { " after \(TimeText.rfc3339($0))" } ?? ""
        return ForeignHolder(
            worker: worker, since: fields["started_at"]?.string.flatMap(TimeText.rfc3339),
            heardAt: (answers[0].text ?? fields["last_heartbeat"]?.string)
                .flatMap(TimeText.rfc3339),
            advice: "RQ gives it up\(time): a worker of \(task.queue) does that when it starts and "
                + "every 10 minutes", isGone: answers[0].isNone)
    }

    /// Asks the job's worker to stop it, as RQ's `send_stop_job_command` does. The worker ends the
    /// job's process, and the job then counts as failed.
    func cancel(_ reference: String) throws -> ForeignAnswer {
        let detail = try require(reference)
        try check(.cancel, on: detail.task)
        let id = detail.task.reference
        guard let worker = try redis.look("HGET", RQJob.key(id), "worker_name").text,
            !worker.isEmpty
        else {
            throw QueueError(
                .changed, "no worker of RQ says that it runs task \(id)",
                fix: "sluice \(ShellWord.command("why", id)) shows its state")
        }
        let order: JSONValue = ["command": "stop-job", "job_id": .string(id)]
        guard try redis.call("PUBLISH", "rq:pubsub:\(worker)", order.text).integer ?? 0 > 0 else {
            throw QueueError.notLegal(
                "the worker \(worker) of task \(id) hears no commands",
                fix: "it may be dead: sluice workers says when it was last heard of")
        }
        return ForeignAnswer(
            changed: [id],
            consequences: ["the worker \(worker) ends it; RQ lists it among the failed ones then"])
    }
}

/// The waiting jobs of a queue in the order of a page: its lists, the two sorted sets of times, and
/// the jobs that depend on others.
extension RQSystem {
    /// A sorted set of waiting jobs.
    private enum WaitingPart: CaseIterable {
        case scheduled, scheduler, deferred
    }

    func waitingJobs(of queue: String, from start: Int, limit: Int) throws -> [ForeignTask] {
        var found = try waiting(in: queue, from: start, limit: limit)
        var before = start == 0 ? 0 : try waitingCount(queue)
        for part in WaitingPart.allCases where found.count < limit {
            found += try jobs(
                part, of: queue, from: max(0, start - before), limit: limit - found.count)
            if start > before { before += try count(part, of: queue) }
        }
        return found
    }

    /// The offset after a waiting job; 0 if it does not wait any more.
    func offset(afterWaiting reference: String, in queue: String) throws -> Int {
        let listed = try offset(after: reference, in: queue)
        guard listed == 0 else { return listed }
        var before = try waitingCount(queue)
        for part in WaitingPart.allCases {
            if let index = try index(of: reference, part, of: queue) { return before + index + 1 }
            before += try count(part, of: queue)
        }
        return 0
    }

    private func jobs(
        _ part: WaitingPart, of queue: String, from start: Int, limit: Int
    ) throws -> [ForeignTask] {
        switch part {
        case .scheduled: try registry("scheduled", queue, .delayed, start, limit)
        case .scheduler: Array(try schedulerJobs(of: queue).dropFirst(start).prefix(limit))
        case .deferred: try registry("deferred", queue, .blocked, start, limit)
        }
    }

    private func count(_ part: WaitingPart, of queue: String) throws -> Int {
        switch part {
        case .scheduled: Int(try redis.look("ZCARD", "rq:scheduled:\(queue)").integer ?? 0)
        case .scheduler: try schedulerJobs(of: queue).count
        case .deferred: Int(try redis.look("ZCARD", "rq:deferred:\(queue)").integer ?? 0)
        }
    }

    private func index(
        of reference: String, _ part: WaitingPart, of queue: String
    ) throws -> Int? {
        switch part {
        case .scheduled:
            try redis.look("ZRANK", "rq:scheduled:\(queue)", reference).integer.map { Int($0) }
        case .scheduler:
            try schedulerJobs(of: queue).firstIndex { $0.reference.isSame(as: reference) }
        case .deferred:
            try redis.look("ZRANK", "rq:deferred:\(queue)", reference).integer.map { Int($0) }
        }
    }
}
