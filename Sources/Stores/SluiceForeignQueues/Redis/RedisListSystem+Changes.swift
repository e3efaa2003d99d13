import SluiceModel
import SluiceRedisClient

/// The verbs that only move elements of lists: the same for every such system.
extension RedisListSystem {
    /// Skips, unskips or moves a task. Throws `notLegal` for changes that do not concern lists.
    func changeOfPlace(
        _ place: ListPlace, _ change: ForeignChange
    ) throws -> RedisSteps {
        let workList = place.workList
        var steps = RedisChange()
        switch change {
        case .skip:
            guard place.list != workList.skipped else {
                throw QueueError.notLegal("it is skipped already", fix: "sluice unskip takes it in")
            }
            steps.take(place.element, from: place.list)
            steps.put(place.element, into: workList.skipped, at: workList.takes.other)
            return (steps, ["it is kept in \(Self.text(workList.skipped)) until it is unskipped"])
        case .unskip:
            guard place.list == workList.skipped else {
                throw QueueError.notLegal("it is not skipped")
            }
            let list = try isHeld(place.queue) ? workList.held : workList.list
            steps.take(place.element, from: workList.skipped)
            steps.put(place.element, into: list, at: workList.takes)
            return (steps, ["it comes next"])
        case .move(let target):
            try move(place, target, &steps)
            return (steps, [])
        default: throw QueueError.notLegal("\(change.verb.rawValue) is not possible here")
        }
    }

    private func move(
        _ place: ListPlace, _ target: ForeignPlace, _ steps: inout RedisChange
    ) throws {
        guard place.list != place.workList.skipped else {
            throw QueueError.notLegal("it is skipped", fix: "sluice unskip takes it in first")
        }
        steps.take(place.element, from: place.list)
        let takes = place.workList.takes
        switch target {
        case .first: steps.put(place.element, into: place.list, at: takes)
        case .last: steps.put(place.element, into: place.list, at: takes.other)
        case .before(let other), .after(let other):
            guard let found = try self.place(of: other, in: place.queue), found.list == place.list
            else {
                throw QueueError.notLegal("task \(other) does not wait in the same list")
            }
            guard found.element != place.element else {
                throw QueueError.notLegal("a task cannot be moved next to itself")
            }
            var isBefore = false
            if case .before = target { isBefore = true }
            let side = isBefore == (takes == .left) ? "BEFORE" : "AFTER"
            steps.put(place.element, into: place.list, side, found.element)
        }
    }

    static func text(_ key: [UInt8]) -> String { String(decoding: key, as: UTF8.self) }

    /// Adds a task at the end of a queue. Returns the consequences in words.
    func enqueue(
        _ element: [UInt8], in queue: String, _ steps: inout RedisChange
    ) throws -> [String] {
        let workList = workLists(of: queue)[0]
        let isHeld = try isHeld(queue)
        steps.put(
            element, into: isHeld ? workList.held : workList.list, at: workList.takes.other)
        return [Self.place(isHeld: isHeld)]
    }

    /// The error of a verb on a running task that is no longer as it was read.
    static func hasChanged(_ reference: String) -> QueueError {
        QueueError(
            .changed, "task \(reference) has changed: it has ended, or its worker lives",
            fix: "look at it: sluice \(ShellWord.command("why", reference))")
    }

    /// The consequence of a task that joins a queue.
    static func place(isHeld: Bool) -> String {
        isHeld ? "it is held with its queue" : "the next idle worker takes it"
    }
}
