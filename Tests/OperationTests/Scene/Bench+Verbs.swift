import SluiceModel
import SluiceStore

@testable import SluiceControl

extension Bench {
    func control(_ person: String = "ann") -> Control {
        var control = Control(
            store: store, person: person, now: { self.now }, chance: { 0.5 })
        control.membersAtOnce = membersAtOnce
        control.clearsUp = false
        return control
    }

    @discardableResult
    func perform(_ verb: Verb, by person: String = "ann") throws -> Answer {
        guard membersAtOnce != Mutation.membersAtOnce else {
            return try control(person).performBlocking(verb)
        }
        return try control(person).commitBlocking(verb)
    }

    /// The error code of a rejected verb; `nil` if accepted.
    func refusal(_ verb: Verb) throws -> QueueError.Code? {
        do {
            try perform(verb)
            return nil
        } catch let error as QueueError {
            return error.code
        }
    }

    func task(_ id: TaskID) throws -> QueueTask { try read { try $0.requireTask(id) } }

    func record(_ queue: String = "q") throws -> QueueRecord {
        try read { try $0.requireQueue(queue) }
    }

    func states(_ ids: [TaskID]) throws -> [TaskState.Name?] {
        try read { store in try ids.map { try store.task($0)?.state.name } }
    }

    /// The tasks that wait, in the order that the screen shows.
    func waiting(_ queue: String = "q") throws -> [TaskID] {
        try read {
            try $0.tasks(matching: TaskQuery(queue: queue, state: .waiting, limit: 10_000)).map(
                \.id)
        }
    }

    /// Why a task is not running.
    func blockers(_ id: TaskID) throws -> [Blocker.Kind] {
        let now = now
        return try read { try Reading($0, now: now).line(id).blockers.map(\.kind) }
    }

    func display(_ id: TaskID) throws -> Display {
        let now = now
        return try read { try Reading($0, now: now).line(id).display }
    }

    /// The lines of the journal, oldest first.
    func events() throws -> [JournalEvent] {
        try read { store in
            try store.journal(JournalQuery(limit: 10_000)).compactMap { entry in
                if case .event(let event) = entry { return event }
                return nil
            }
        }
    }

    /// A queue with everything in it, as the pure rules read it.
    func snapshot(_ queue: String = "q") throws -> Snapshot {
        let now = now
        return try read { store in
            var tasks: [QueueTask] = []
            for state in TaskState.Name.allCases {
                tasks += try store.tasks(
                    matching: TaskQuery(queue: queue, state: state, limit: 10_000))
            }
            var snapshot = Snapshot(
                queue: try store.requireQueue(queue), tasks: tasks, now: now)
            let record = try store.storeRecord()
            snapshot.storePauses = record.pauses
            snapshot.forcedNetwork = record.forcedNetwork
            snapshot.processes = try store.processes()
            snapshot.permitted = Set(try store.permits().map(\.task))
            for task in tasks {
                snapshot.rateKeys[task.id] = try store.rateKey(of: task, in: snapshot.queue)
            }
            return snapshot
        }
    }

    /// The tasks whose index column differs from the pure rule, as far as wakes have come (T2).
    func wronglyHeld(_ queue: String = "q") throws -> [TaskID] {
        var snapshot = try snapshot(queue)
        // The column follows the stored states, so an expired task is still included.
        snapshot.now = Timestamp(milliseconds: .min)
        return snapshot.waitingInOrder.filter {
            $0.isHeld != (snapshot.holder(of: $0) != nil)
                && snapshot.queue.barrier(before: $0) == nil
        }.map(\.id)
    }
}
