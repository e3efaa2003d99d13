import SluiceModel
import SluiceRedisClient

extension HueySystem {
    func detail(_ reference: String) throws -> ForeignDetail? {
        let queues = try queues().map(\.name)
        for queue in queues {
            if let detail = try listed(reference, in: queue) { return detail }
            if let found = try timed(reference, in: queue) ?? ranked(reference, in: queue) {
                let task = try marked([found.task], in: queue).first ?? found.task
                return HueyMessage(found.bytes)?.detail(task)
            }
        }
        for queue in queues {
            if let detail = try failure(reference, in: queue) { return detail }
        }
        return nil
    }

    func steps(of change: ForeignChange, on detail: ForeignDetail) throws -> RedisSteps {
        let (reference, queue) = (detail.task.reference, detail.task.queue)
        if let place = try place(of: reference, in: queue) { return try inList(place, change) }
        guard let found = try timed(reference, in: queue) else {
            throw QueueError.notLegal(
                "task \(reference) waits in no list: a queue with priorities is shown, and is not "
                    + "changed")
        }
        return (try inSchedule(found.bytes, detail.task, change), [])
    }

    private func edited(_ bytes: [UInt8], _ value: JSONValue) throws -> [UInt8] {
        guard let message = HueyMessage(bytes) else {
            throw QueueError.notLegal("it is no message that could be read")
        }
        return try message.edited(value)
    }

    private func postponed(_ bytes: [UInt8], _ moment: Timestamp) throws -> [UInt8] {
        try HueyMessage(bytes)?.postponed(to: moment) ?? bytes
    }

    private func inList(
        _ place: ListPlace, _ change: ForeignChange
    ) throws -> RedisSteps {
        var steps = RedisChange()
        switch change {
        case .delete: steps.take(place.element, from: place.list)
        case .edit(let value):
            steps.swap(place.element, for: try edited(place.element, value), in: place.list)
        case .postpone(let moment):
            steps.take(place.element, from: place.list)
            steps.putMember(
                try postponed(place.element, moment), into: Self.schedule(place.queue),
                score: Double(moment.milliseconds) / 1000)
            return (steps, ["a consumer with a scheduler brings it back"])
        default:
            return try changeOfPlace(place, change)
        }
        return (steps, [])
    }

    private func inSchedule(
        _ bytes: [UInt8], _ task: ForeignTask, _ change: ForeignChange
    ) throws -> RedisChange {
        let key = Self.schedule(task.queue)
        var steps = RedisChange()
        switch change {
        case .delete: steps.removeMember(bytes, from: key)
        case .postpone(let moment):
            steps.removeMember(bytes, from: key)
            steps.putMember(
                try postponed(bytes, moment), into: key, score: Double(moment.milliseconds) / 1000)
        case .edit(let value):
            steps.removeMember(bytes, from: key)
            let score = Double(task.notBefore?.milliseconds ?? 0) / 1000
            steps.putMember(try edited(bytes, value), into: key, score: score)
        default:
            throw QueueError.notLegal(
                "task \(task.reference) waits for its time, and is changed when that has come",
                fix: "sluice postpone gives it another time")
        }
        return steps
    }
}
