import SluiceModel
import SluiceRedisClient

extension RQSystem {
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
                fix: "it may be dead: sluice runners says when it was last heard of")
        }
        return ForeignAnswer(
            changed: [id],
            consequences: ["the worker \(worker) ends it; RQ lists it among the failed ones then"])
    }
}
