import SluiceModel
import SluiceStore

@testable import SluiceControl

/// Compares an answer with reads of the store.
final class AnswerCheck {
    private let bench: Bench
    private var found: [String] = []
    /// The number of compared sentences and fields.
    private(set) var compared = 0
    /// The tasks running before the verb, which a cancel stops.
    private let running: Set<TaskID>

    init(_ bench: Bench, before verb: Verb) {
        self.bench = bench
        running = Set(
            verb.targets.map(\.id).filter { id in
                (try? bench.task(id).running != nil) == true
            })
    }

    /// The differences between an answer and the store.
    func wrong(_ verb: Verb, _ answer: Answer) throws -> [String] {
        if answer.undo != nil {
            let event = try bench.events().last { $0.sequence == answer.undo }
            compare(answer.summary == event?.text, "the log has \(event?.text ?? "nothing")")
        }
        for failure in answer.failed {
            let version = try bench.read { try $0.task(failure.id)?.version }
            compare(failure.version == nil || failure.version == version, "#\(failure.id) failed")
        }
        switch verb.order {
        case let request as PauseRequest: try check(pause: request.scope, answer)
        case let verb as ResumeVerb: try check(resume: verb.scope, answer)
        case let verb as SetQueueVerb:
            try check(settings: verb.changes, of: verb.queue, answer)
        case let verb as EnqueueVerb: try check(enqueue: verb.queue, answer)
        case let verb as RunVerb:
            try compare(answer.run == run(verb.queue, answer), "run")
        case is BreakRequest, is RemoveBreaksVerb:
            let all = try bench.read { try $0.storeRecord().breakpoints }
            for breakpoint in answer.breakpoints {
                compare(all.all.contains(breakpoint), "breakpoint \(breakpoint.number)")
            }
        case is UndoVerb:
            guard let taken = answer.takenBack else { break }
            let event = try bench.events().first { $0.sequence == taken.event }
            compare(event?.undoneBy == taken.entry, "event \(taken.event) is not undone")
        case let tasks as VerbOnTasks: try check(tasks, answer)
        default: break
        }
        return found
    }

    private func compare(_ isSo: Bool, _ what: String) {
        compared += 1
        if !isSo { found.append(what) }
    }

    private func run(_ queue: String, _ answer: Answer) throws -> Run? {
        answer.run == nil ? nil : try bench.record(queue).run
    }

    private func pauses(_ scope: VerbScope) throws -> [Pause] {
        let now = bench.now
        switch scope {
        case .queue(let name): return try bench.record(name).activePauses(at: now, real: now)
        case .store:
            return try bench.read { try $0.storeRecord().pauses }.filter { $0.isActive(at: now) }
        }
    }

    /// Rebuild the sentence from the stored pause.
    private func check(pause scope: VerbScope, _ answer: Answer) throws {
        let held = try pauses(scope)
        compare(answer.pauses == held, "pauses \(answer.pauses), not \(held)")
        guard let pause = held.first(where: { [.person, .store].contains($0.cause) }) else {
            return compare(false, "no pause is there")
        }
        let text = answer.summary
        let time = pause.until.map { " for the next \(DurationText.taken($0 - bench.now))" } ?? ""
        let why = pause.reason.map { ": \($0)" } ?? ""
        compare(text.hasSuffix(" by \(pause.by)\(time)\(why)"), "\(text), but \(pause)")
        let way = pause.direction == .work ? "paused by" : "paused (\(pause.direction.rawValue)) by"
        compare(text.contains(way), "\(text), but \(pause.direction)")
    }

    private func check(resume scope: VerbScope, _ answer: Answer) throws {
        try compare(pauses(scope) == [], "still paused")
        guard case .queue = scope else { return }
        let store = try pauses(.store)
        compare(answer.pauses == store, "pauses of the store")
        compare(answer.consequences.isEmpty == store.isEmpty, "\(answer.consequences)")
    }

    private func check(
        settings changes: [SettingChange], of name: String, _ answer: Answer
    ) throws {
        let settings = try bench.record(name).settings
        for change in changes {
            let words: String
            if let type = change.type {
                let own = settings.changes(ofType: type).first { $0.name == change.name }
                words = "\(change.name) of \(type) \(own?.text ?? "default")"
            } else {
                let kept = change.setting.flatMap { settings.change(for: $0) }
                words = "\(change.name) \(kept?.text ?? "?")"
            }
            compare(answer.summary.contains(words), "\(answer.summary), but \(words)")
        }
    }

    private func check(enqueue queue: String, _ answer: Answer) throws {
        for id in answer.changed {
            try compare(bench.task(id).queue == queue, "#\(id) is not in \(queue)")
        }
        for kept in answer.kept {
            let display = try bench.display(kept.id)
            compare(kept.state == display, "#\(kept.id) is \(display), not \(kept.state)")
            let isSaid = (answer.consequences + [answer.summary]).contains {
                $0.hasPrefix("kept #\(kept.id), which is \(display.rawValue)")
            }
            compare(isSaid || answer.kept.count > 10, "#\(kept.id) is not said to be kept")
        }
    }

    private func check(_ verb: VerbOnTasks, _ answer: Answer) throws {
        let changed = Set(answer.changed)
        if answer.undo != nil {
            let what =
                changed.count == 1 && answer.changed.count == 1
                ? "#\(answer.changed[0]) " : "\(answer.changed.count) tasks "
            let isSame = answer.consequences.contains { $0.contains("its worker was dead") }
            compare(answer.summary.hasPrefix(what) || isSame, answer.summary)
        }
        for id in changed {
            let task = try bench.read { try $0.task(id) }
            let isAsSaid: Bool
            switch verb.kind.name {
            case "delete":
                let isLate = answer.summary.contains("once")
                isAsSaid =
                    running.contains(id)
                    ? isLate && task?.running?.stop == .deleted : task?.state.name == .deleted
            case "undelete": isAsSaid = task.map { $0.state.name != .deleted } ?? false
            case "skip": isAsSaid = task?.waiting?.skip != nil
            case "unskip": isAsSaid = task.map { $0.waiting?.skip == nil } ?? false
            case "retry": isAsSaid = task?.waiting != nil && task?.waiting?.parking == nil
            case "cancel": isAsSaid = task?.running?.stop != nil
            case "purge": isAsSaid = task == nil
            case "edit": isAsSaid = task?.label == "x"
            case "reclaim": isAsSaid = task.map { $0.running == nil } ?? false
            case "acknowledge": isAsSaid = true
            default: isAsSaid = task != nil
            }
            compare(isAsSaid, "#\(id) after \(verb.kind.name): \(task?.state as Any)")
        }
    }
}

/// Verbs that are seldom among the random operations: pauses of all kinds, settings, unique keys.
struct RandomAnswerVerb {
    private var random: SeededRandom

    init(seed: Int) { random = SeededRandom(seed: seed + 7000) }

    mutating func next(_ bench: Bench) throws -> Verb {
        let queue = random.pick(["q", "r"])
        let scope: VerbScope = random.once(in: 4) ? .store : .queue(queue)
        switch random.below(8) {
        case 0...2:
            return .pause(
                PauseRequest(
                    scope, reason: random.pick([nil, "a", "b"]),
                    forMilliseconds: random.pick([nil, 20, 2000]),
                    direction: random.pick([.work, .work, .enqueues, .both])))
        case 3, 4: return .resume(scope)
        case 5:
            let changes: [SettingChange] = [
                .expires(random.pick([nil, 1000, 60_000])), .attempts(random.pick([2, 5, nil])),
                .concurrency(1 + random.below(3)), .rate(random.pick([nil, "5/100ms"])),
            ]
            return .setQueue(queue, random.once(in: 2) ? changes : [random.pick(changes)])
        default:
            let keys = (0...random.below(2)).map { _ in random.pick(["k", "l"]) }
            return .enqueue(
                queue: queue,
                keys.map { key in
                    request(random.pick(["a", "b"])) {
                        ($0.uniqueKey, $0.uniquePolicy) = (key, random.pick([.keep, .replace]))
                    }
                })
        }
    }
}
