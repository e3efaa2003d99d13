import SluiceModel
import SluiceStore
import SluiceSystem
import Testing

@testable import SluiceControl

/// A restore after random work gives the state at the checkpoint (G5).
@Suite("Restores after random work")
struct RestoreTests {
    private static let isLong = ProcessIdentity.environment("SLUICE_SOAK") != nil
    /// 10,000 seeds in memory with `SLUICE_SOAK=1`.
    private static let seeds: [Case<Range<Int>>] =
        (0..<(isLong ? 50 : 3)).map { Case(engine: .memory, value: $0 * 200..<($0 + 1) * 200) }
        + [Case(engine: .sqlite, value: 15_000..<(isLong ? 15_400 : 15_040))]
        + Engine.large.dropFirst(2).map { Case(engine: $0, value: 16_000..<16_006) }

    @Test("G5 restore after random work equals the checkpoint", arguments: seeds)
    func equalsTheCheckpoint(_ test: Case<Range<Int>>) throws {
        for seed in test.value {
            let bench = try Bench(test.engine, membersAtOnce: seed % 2 == 0 ? 1 : 1000)
            var operation = try RandomOperation(bench, seed: seed)
            for _ in 0..<(10 + seed % 30) { try operation.next() }
            // By another person, because the random work undoes its own last verb.
            try bench.perform(.takeCheckpoint(CheckpointRequest("a")), by: "eve")
            let before = try bench.dump()
            for turn in 0..<(10 + seed % 23) {
                if turn == 7 {
                    try bench.perform(.takeCheckpoint(CheckpointRequest("b")), by: "eve")
                }
                try operation.next()
            }
            try operation.endAll()
            let worked = try bench.dump()
            let isChanged = try bench.perform(.restore("a")).undo != nil
            let after = try bench.dump()
            // A task that ran at the checkpoint may lose to another task with its key, and its
            // members follow the rules (T5). Then check only the rules.
            var wrong = after.supersedes(before) ? [] : after.unlike(checkpoint: before)
            for queue in ["q", "r"] { wrong += try RandomOperationTests.wrong(bench, queue) }
            wrong += try bench.read { try $0.problems(.tasks) }
            #expect(wrong == [], "seed \(seed)")
            guard isChanged else { continue }
            let taken = try bench.perform(.undo(event: nil))
            let undone = try bench.dump()
            let lost = worked.unlike(undone: undone) + taken.failed.map { "\($0)" }
            #expect(lost == [], "seed \(seed), undone")
            guard wrong == [], lost == [] else { return }
        }
    }
}

extension Dump {
    /// Differences from the state at a checkpoint, apart from the parts that a restore never
    /// reverts.
    func unlike(checkpoint before: Dump) -> [String] {
        var wrong: [String] = []
        let attached = Set(processes.map(\.id))
        let now = Dictionary(uniqueKeysWithValues: zip(tasks.map(\.id), tasks.indices))
        for (place, old) in before.tasks.enumerated() {
            guard let index = now[old.id] else {
                wrong.append("#\(old.id) is gone")
                continue
            }
            var wanted = old.asPutBack(over: tasks[index]).asCompared
            if let owner = wanted.state.lingering?.owner, !attached.contains(owner) {
                wanted.state.lingering = nil
            }
            var found = tasks[index].asCompared
            // A running task was not held. The rules decide whether it is now.
            if old.running != nil { found.isHeld = wanted.isHeld }
            if let owner = found.state.lingering?.owner, !attached.contains(owner) {
                found.state.lingering = nil
            }
            if wanted != found { wrong.append(Self.unlike(found, wanted)) }
            if payloads[index] != before.payloads[place] { wrong.append("payload of #\(old.id)") }
            if results[index] != before.results[place] { wrong.append("result of #\(old.id)") }
        }
        let known = Set(before.tasks.map(\.id))
        for task in tasks where !known.contains(task.id) && task.state.name != .deleted {
            wrong.append("#\(task.id) came since and is \(task.state.name.rawValue)")
        }
        for old in before.queues {
            let found = queues.first { $0.name == old.name }.map { $0.asCompared(attached) }
            if found != old.asCompared(attached) {
                wrong.append("\(old) is \(String(describing: found))")
            }
        }
        if store.pauses != before.store.pauses { wrong.append("the pauses of the store") }
        return wrong
    }

    /// Whether one that ran at a checkpoint had to give way when it was restored.
    func supersedes(_ before: Dump) -> Bool {
        let ran = Set(before.tasks.filter { $0.running != nil }.map(\.id))
        return tasks.contains { task in
            guard ran.contains(task.id), case .failed(let failure) = task.state else {
                return false
            }
            return failure.reason == "superseded"
        }
    }

    private static func unlike(_ found: QueueTask, _ wanted: QueueTask) -> String {
        let fields = found.differences(from: wanted).map { "\($0.name) \($0.from) → \($0.to)" }
        return "#\(found.id): \(fields), \(found.isHeld) \(wanted.isHeld), "
            + "\(found.freshAt) \(wanted.freshAt), \(found.state) \(wanted.state)"
    }

    /// Differences after undoing a restore. Tasks that the store had removed are in the trash.
    fileprivate func unlike(undone after: Dump) -> [String] {
        var wrong: [String] = []
        let now = Dictionary(uniqueKeysWithValues: zip(after.tasks.map(\.id), after.tasks.indices))
        for (place, old) in tasks.enumerated() {
            guard let index = now[old.id] else {
                wrong.append("#\(old.id) is gone")
                continue
            }
            var (wanted, found) = (old.asCompared, after.tasks[index].asCompared)
            (wanted.isHeld, found.isHeld) = (false, false)
            (wanted.freshAt, found.freshAt) = (wanted.createdAt, wanted.createdAt)
            wanted = wanted.withoutEdit
            // A client that knows of an end knows of it further on.
            wanted = wanted.asPutBack(over: found)
            if wanted != found { wrong.append(Self.unlike(found, wanted)) }
            if after.payloads[index] != payloads[place] { wrong.append("payload of #\(old.id)") }
            if after.results[index] != results[place] { wrong.append("result of #\(old.id)") }
        }
        for old in queues {
            let found = after.queues.first { $0.name == old.name }
            if found?.settings != old.settings { wrong.append("the settings of \(old.name)") }
        }
        return wrong
    }
}

extension QueueTask {
    /// Without what a checkpoint never puts back.
    var asCompared: QueueTask {
        var task = self
        (task.version, task.executions, task.collector) = (0, 0, nil)
        task.updatedAt = task.createdAt
        return task
    }
}

extension QueueRecord {
    fileprivate func asCompared(_ attached: Set<ProcessID>) -> QueueRecord {
        var queue = self
        queue.version = 0
        queue.pauses.removeAll { pause in
            pause.cause == .breakpoint || !(pause.owner.map(attached.contains) ?? true)
        }
        return queue
    }
}
