import SluiceModel

/// A bulk verb in slices of 1,000 tasks: the next slice, and the combined result. It commits
/// nothing.
struct Bulk {
    /// The maximum number of sentences about other tasks; the answer only counts the rest.
    private static let consequenceLimit = 100

    private let verb: Verb
    private let targets: [TaskTarget]
    private let person: String
    private let began: Timestamp
    private let watch: BulkWatch
    private var slices = 0
    /// The tasks whose slices are over.
    private var done = 0
    private var undoRest: [Int64] = []
    private var firstEvent: Int64?
    private(set) var commits = BulkCommits()
    private var isOver = false
    private var failure: (any Error)?
    private var answer = Answer()
    private var untold = 0
    /// Whether members of a start that ended still follow it (T2).
    private(set) var leavesWakes = false

    init(_ verb: Verb, by person: String, began: Timestamp, watch: @escaping BulkWatch) {
        self.verb = verb
        self.person = person
        self.began = began
        self.watch = watch
        targets = verb.targets
    }

    /// The next commit; nil when the verb is over.
    mutating func next() -> BulkSlice? {
        guard !isOver else { return nil }
        if slices > 0 || targets.count > Control.slice, watch(progress) == .stop {
            stop(nil)
            return nil
        }
        if let event = undoRest.first {
            return BulkSlice(verb, bulk: firstEvent, began: began, restOfUndo: event)
        }
        let places = done..<min(done + Control.slice, targets.count)
        var part = verb
        if places.count < targets.count { part.targets = Array(targets[places]) }
        return BulkSlice(
            part, places: places, of: targets.count, bulk: firstEvent, began: began)
    }

    /// Records the result of a commit. A failure ends the bulk but keeps the results of earlier
    /// slices.
    mutating func take(_ result: Result<BulkSlice.Outcome, any Error>) {
        switch result {
        case .success(let outcome): join(outcome)
        case .failure(let error) where slices > 0:
            stop(error as? QueueError ?? QueueError(.denied, "\(error)"))
        case .failure(let error):
            failure = error
            isOver = true
        }
    }

    /// The combined answer of all slices; throws if the first commit failed.
    func end() throws -> Answer {
        if let failure { throw failure }
        if let refusal = answer.refusal { throw refusal }
        guard slices != 1 || answer.stop != nil else { return answer }
        var whole = answer
        if untold > 0 { whole.consequences.append("and \(NumberText.grouped(untold)) more") }
        whole.summary = summary
        return whole
    }

    private var progress: BulkProgress {
        // The slices of an undo reveal their task count only when they are read, so this is an
        // estimate.
        let total = targets.isEmpty ? done + undoRest.count * Control.slice : targets.count
        return BulkProgress(done: done, total: total, failed: answer.failed.count)
    }

    private var summary: String {
        if answer.changed.isEmpty { return "nothing was changed" }
        if verb.order.takesBack {
            let done = verb == .redo ? "redone" : "undone"
            return "\(NumberText.tasks(answer.changed.count)) \(done) by \(person)"
        }
        return verb.sentence(answer.changed, by: person)
    }

    private mutating func join(_ outcome: BulkSlice.Outcome) {
        let part = outcome.answer
        slices += 1
        leavesWakes = leavesWakes || outcome.leavesWakes
        if slices == 1 {
            answer = part
        } else {
            answer.changed += part.changed
            answer.failed += part.failed
            answer.undo = answer.undo ?? part.undo
            answer.consequences += part.consequences
            let excess = max(0, answer.consequences.count - Self.consequenceLimit)
            answer.consequences.removeLast(excess)
            untold += excess
        }
        firstEvent = firstEvent ?? outcome.event
        commits.record(event: outcome.event, tasks: part.changed.count)
        if verb.order.takesBack {
            done = answer.changed.count + answer.failed.count
            undoRest = slices == 1 ? outcome.undoRest : Array(undoRest.dropFirst())
            isOver = undoRest.isEmpty
        } else {
            done = min(done + Control.slice, targets.count)
            isOver = done == targets.count
        }
    }

    private mutating func stop(_ error: QueueError?) {
        isOver = true
        answer.stop = Answer.Stop(left: Array(targets.dropFirst(done)), error: error)
        // A refusal comes again at the next undo.
        guard !undoRest.isEmpty, error?.code != .notLegal else { return }
        answer.consequences.append("the rest is still in place: undo continues with it")
    }
}
