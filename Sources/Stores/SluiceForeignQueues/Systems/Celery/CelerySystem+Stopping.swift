import SluiceModel

extension CelerySystem {
    /// Asks the worker with a task to end it, as `celery control terminate` does. Addresses only
    /// that worker, so that no other worker revokes a task that it does not have.
    func cancel(_ reference: String) throws -> ForeignAnswer {
        if let entry = try entry(reference) { throw entry.entry.refusal }
        // Only the workers know of most running tasks.
        if try detail(reference) == nil { _ = try runners() }
        let detail = try require(reference)
        try check(.cancel, on: detail.task)
        let id = detail.task.reference
        let own = ForeignRefusal.filled(rules.ownStop ?? "", id)
        let known = try remote(of: detail.task.queue).ask("query_task", ["ids": [.string(id)]])
        guard !known.isEmpty else {
            throw QueueError.notLegal(
                "no worker of Celery answers, so none can be told to stop task \(id)",
                fix: "\(own) reaches a worker that is slow to answer")
        }
        let owners = known.filter { $0.answer[id] != nil }.map(\.worker)
        guard !owners.isEmpty else {
            throw QueueError(
                .changed, "no worker of Celery has task \(id) any more",
                fix: "look at it again and repeat the verb")
        }
        let answers = try remote(of: detail.task.queue).ask(
            "revoke",
            ["task_id": .string(id), "terminate": true, "signal": "SIGTERM"], of: owners)
        guard let answer = answers.first else {
            throw QueueError(
                .changed, "the worker \(owners[0]) did not answer whether it stops task \(id)",
                fix: "look at it again, or: \(own)")
        }
        if let error = answer.answer["error"]?.string {
            throw QueueError.notLegal(
                "the worker \(answer.worker) cannot stop task \(id): \(error)",
                fix: "end that worker")
        }
        return ForeignAnswer(
            changed: [id],
            consequences: ["the worker \(answer.worker) ends it; Celery calls it revoked"])
    }
}
