import SluiceControl
import SluiceModel
import SluiceStore
import SluiceSystem
import SluiceTestSupport

/// Another process's random verbs on all tasks, on a separate thread.
final class Vandal: Sendable {
    /// Counts of its actions.
    struct Deeds: Sendable {
        var counts: [String: Int] = [:]
        /// Errors that no verb may give on a whole store.
        var surprises: [String] = []

        var summary: String {
            counts.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }
                .joined(separator: ", ")
        }
    }
    /// The queues that it is at home in.
    static let queues = ["strict", "wide", "passes"]

    private let neighbour: Neighbour
    private let deeds = Protected(Deeds())
    private let mustRest = Protected(false)
    private let thread = Protected<Thread?>(nil)

    init(at place: Workplace, seed: UInt64) throws {
        neighbour = try Neighbour(at: place)
        let started = try Thread(name: "vandal") { [self] in act(seed) }
        thread.withLock { $0 = started }
    }

    /// Stops it and returns the counts of its actions.
    func rest() -> Deeds {
        mustRest.withLock { $0 = true }
        let running = thread.withLock { $0 }
        running?.join()
        return deeds.withLock { $0 }
    }

    private func act(_ seed: UInt64) {
        var chance = SeededChance(seed: seed)
        while !mustRest.withLock({ $0 }) {
            do {
                let verb = try anyVerb(&chance)
                try attempt(verb)
                _ = try Poll.wait(fds: [], timeoutMilliseconds: chance.number(0...25))
            } catch {
                surprise("\(error)")
            }
        }
        do { try neighbour.leave() } catch { surprise("\(error)") }
    }

    private func attempt(_ verb: Verb) throws {
        do {
            try neighbour.perform(verb, by: "vandal")
            deeds.withLock { $0.counts[verb.name, default: 0] += 1 }
        } catch let error as QueueError {
            let isForeseen = ![.damagedStore, .noStore, .notAStore, .storeBusy, .denied, .diskFull]
                .contains(error.code)
            guard isForeseen else { throw error }
            deeds.withLock { $0.counts["refused", default: 0] += 1 }
        }
    }

    private func surprise(_ text: String) {
        deeds.withLock { $0.surprises.append(text) }
    }

    private func anyVerb(_ chance: inout SeededChance) throws -> Verb {
        let queue = Self.queues.randomElement(using: &chance) ?? "wide"
        let states: [TaskState.Name] = [.waiting, .waiting, .running, .failed, .deleted]
        let state = states.randomElement(using: &chance) ?? .waiting
        let tasks = try neighbour.read {
            try $0.tasks(matching: TaskQuery(queue: queue, state: state, limit: 40))
        }
        let targets = (0..<chance.number(1...3)).compactMap { _ in
            tasks.randomElement(using: &chance).map { TaskTarget($0.id) }
        }
        guard let first = targets.first, chance.number(0...3) > 0 else {
            return queueVerb(queue, &chance)
        }
        return taskVerb(queue, first, targets, &chance)
    }

    private func queueVerb(_ queue: String, _ chance: inout SeededChance) -> Verb {
        switch chance.number(0...9) {
        case 0:
            var pause = PauseRequest(.queue(queue), reason: "\u{1b}[31mEVIL\u{7}")
            if chance.number(0...1) == 0 { pause.forMilliseconds = Int64(chance.number(1...900)) }
            pause.stopsRunning = chance.number(0...3) == 0
            return .pause(pause)
        case 1, 2: return .resume(.queue(queue))
        case 3: return .run(queue: queue, limit: nil)
        case 4: return .network(forced: [true, false, nil].randomElement(using: &chance) ?? nil)
        case 5: return .undo(event: nil)
        case 6: return .setQueue(queue, [settingChange(&chance)])
        case 7: return .deleteQueue("passes", evenWithTasks: chance.number(0...1) == 0)
        default: return .enqueue(queue: queue, requests(&chance))
        }
    }

    private func settingChange(_ chance: inout SeededChance) -> SettingChange {
        let changes: [SettingChange] = [
            .concurrency(chance.number(1...5)), .order(.fifo), .order(.lifo), .order(.priority),
            .priority(chance.number(-3...9)), .attempts(chance.number(1...4)),
            .retry(.fixed(milliseconds: 300)), .keepFinished(.last(20)), .afterFailure(.advance),
        ]
        return changes.randomElement(using: &chance) ?? .priority(0)
    }

    private func requests(_ chance: inout SeededChance) -> [EnqueueRequest] {
        let types = ["job", "slow", "bad", "worse", "odd"]
        return (0..<chance.number(1...12)).map { number in
            var request = EnqueueRequest(type: types.randomElement(using: &chance) ?? "job")
            request.payload = Array(#"{"n":1,"text":"\u001b]0;pwn\u0007"}"#.utf8)
            request.priority = chance.number(-2...5)
            request.label = "\u{1b}]0;pwn\u{7}"
            let group = "g\(chance.number(0...9))"
            if number == 0 { request.groupStart = group } else { request.groupMembers = [group] }
            return request
        }
    }

    private func taskVerb(
        _ queue: String, _ first: TaskTarget, _ targets: [TaskTarget],
        _ chance: inout SeededChance
    ) -> Verb {
        let soon = Timestamp(milliseconds: SystemClock.nowMilliseconds() + 400)
        switch chance.number(0...15) {
        case 0: return .skip(targets, forMilliseconds: 300)
        case 1: return .unskip(targets)
        case 2: return .delete(targets, cancelsRunning: chance.number(0...1) == 0, members: nil)
        case 3: return .undelete(targets)
        case 4: return .retry(targets)
        case 5: return .postpone(targets, until: soon)
        case 6: return .priority(targets, .number(chance.number(-5...9)))
        case 7: return .move(first, .first)
        case 8: return .move(first, .last)
        case 9: return .moveToQueue(targets, Self.queues.randomElement(using: &chance) ?? queue)
        case 10: return .edit([first], payload: Array("{\"n\":2}".utf8), fields: [])
        case 11: return .duplicate(targets)
        case 12: return .cancel(targets)
        case 13: return .reclaim(targets)
        case 14: return .purge(targets, members: .release)
        default: return .skip(targets, forMilliseconds: nil)
        }
    }
}
