import SluiceModel
import SluiceRedisClient

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
