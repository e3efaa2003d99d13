package import SluiceModel
import SluiceStore

extension Reading {
    /// The faults that are not spent and whose time is not over, by number.
    package func faults() throws -> [Fault] {
        try store.storeRecord().faults.all.filter { $0.isActive(at: real) }
    }

    /// The faults that would apply to each of some waiting tasks, under a runner that allows
    /// crashes. Assumes that the tasks start one after the other, now or at their moments in real
    /// time. Omits faults with a chance. Reads short payloads if a filter needs them.
    package func faultsAhead(
        of tasks: [QueueTask], at starts: [Timestamp] = []
    ) throws -> [TaskID: Int64] {
        var faults = Faults()
        faults.all = try self.faults().filter { $0.left != nil }
        guard !faults.isEmpty else { return [:] }
        let asksPayload = faults.all.contains(where: \.asksPayload)
        let payloads =
            asksPayload
            ? try store.payloadHeads(of: tasks.map(\.id), first: StoreRecord.shortPayloadBytes)
            : [:]
        var found: [TaskID: Int64] = [:]
        for (place, task) in tasks.enumerated() where task.waiting != nil {
            let facts = KnownFacts(
                now: now, real: starts.isEmpty ? real : starts[place], display: .due,
                payload: payloads[task.id]?.bytes ?? [],
                uuid: try store.naming?.uuid(of: task.id))
            found[task.id] = try faults.take(task, facts, allowsCrash: true).fault?.number
        }
        return found
    }

    /// Sentences about the fault in a task's last attempt, and about the fault that would apply if
    /// the task started next.
    package func faultSentences(of id: TaskID) throws -> [String] {
        let task = try store.requireTask(id)
        var found: [String] = []
        if let last = try store.attempts(of: id).last, let injection = last.injection {
            found.append("attempt \(last.number): \(injection.sentence)")
        }
        if let number = try faultsAhead(of: [task])[id],
            let fault = try store.storeRecord().faults[number]
        {
            found.append("if it started now: fault \(number), \(fault.kind.words)")
        }
        return found
    }
}
