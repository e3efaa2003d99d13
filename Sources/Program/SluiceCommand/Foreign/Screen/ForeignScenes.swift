import SluiceConsole
import SluiceControl
import SluiceForeignQueues
import SluiceModel
import SluiceStore
import SluiceSystem

/// The scenes of foreign queues. Each poll reads a summary of all queues and the first tasks of the
/// selected one. It puts them into a store in memory, which the console reads like any store.
final class ForeignScenes: SceneSource {
    let kind: String
    let isReadOnly: Bool
    let identity: String? = nil
    let numbers = ForeignNumbers()
    private let session: ForeignSession
    private let journal = Protected<[JournalEvent]>([])
    private let shown = Protected<[ForeignQueueName]>([])
    private let undoable = Protected(false)
    private let done = Protected<[Done]>([])
    private let lines = Protected<[TaskID: String]>([:])
    private let payloads = ForeignPayloads()
    private let ends = Protected(ForeignEnds())
    private let runs = Protected(ForeignRuns())
    private let wanted = Protected<String?>(nil)
    /// A snapshot, its time, and the time of its workers and timers.
    private struct Last {
        var look: ForeignLook
        var at: Timestamp
        var runnersAt: Timestamp
    }
    private let last = Protected<Last?>(nil)
    private static let journalLimit = 300

    init(isReadOnly: Bool, open: @escaping @Sendable () throws -> ForeignStore) throws {
        session = try ForeignSession(open: open)
        kind = session.kind
        self.isReadOnly = isReadOnly
    }

    func load(
        _ request: LoadRequest, at now: Timestamp, aside: @escaping SceneAside
    ) throws -> LoadedScene {
        let subject = request.subject.flatMap { numbers.name($0) }
        let isFresh = request.view == .timers || request.view == .runners
        let look = try look(
            subject: subject,
            withPayloads: request.withPlaces || request.rows.filter?.asksPayload == true, at: now,
            isFresh: isFresh
        ) { names in
            if let place = request.queues.place, !names.isEmpty {
                return names[min(place, names.count - 1)]
            }
            return names.first { $0.shown == request.queue } ?? names.first
        }
        shown.withLock { $0 = look.queues.keys.sorted() }
        wanted.withLock { $0 = request.queue }
        let mirror = try mirror(look, at: now)
        var request = request
        // Each snapshot is a new store, so a search cannot continue in it.
        request.rows.search = nil
        request.rows.filter = request.rows.filter.map {
            ForeignQueueName.naming($0, among: look.queues.keys)
        }
        let wanted = request
        let seen = seen(in: look, forTimeline: wanted.timeline != nil, at: now)
        var scene = try mirror.store.readBlocking {
            var loader = SceneLoader(try Reading($0, now: now))
            loader.seen = seen.attempts
            return try loader.load(wanted)
        }
        scene.taskTimeline?.seenSince = seen.since
        scene.page?.search = nil
        let listed = (scene.page?.rows ?? []) + scene.chain
        lines.withLock { lines in
            lines = Dictionary(listed.map { ($0.task.id, $0.task.queue) }) { $1 }
        }
        // A look reads the tasks of one queue.
        scene.listsAll = false
        let possible = try session.ask { store in
            // Without a queue the rules of one of them are enough: none enqueues from here.
            let shown = store.systems.first { $0.name == look.system(of: scene.selected) }
            return (shown ?? store.systems.first).map { ForeignPossible($0.rules, name: $0.name) }
        }
        undoable.withLock { $0 = possible?.refusals[.undo] == nil }
        return ForeignSceneAdapter(look: look, numbers: numbers, now: now).told(scene, possible)
    }

    /// Notes the executions of a look. Returns those seen so far, which only a timeline shows.
    private func seen(
        in look: ForeignLook, forTimeline isNeeded: Bool, at now: Timestamp
    ) -> (attempts: [AttemptRecord], since: Timestamp?) {
        runs.withLock { runs in
            runs.update(look, numbers: numbers, at: now)
            return (isNeeded ? runs.attempts(of: look) : [], runs.since)
        }
    }

    /// Whether the selected queue's system supports undo.
    var canUndo: Bool { undoable.withLock { $0 } }

    func collect(_ request: CollectRequest, at now: Timestamp) throws -> [TaskTarget] {
        try read(request.queue, request.filter, at: now) { loader, filter in
            var named = request
            named.filter = filter
            return try loader.collect(named)
        }
    }

    func count(_ request: CountRequest, at now: Timestamp) throws -> CountRequest {
        try read(request.queue, request.filter, at: now) { loader, filter in
            var named = request
            named.filter = filter ?? request.filter
            var counted = try loader.count(named)
            counted.filter = request.filter
            return counted
        }
    }

    /// No worker by the queues of a look; failing by what the counts did since the first question.
    func alerts(at now: Timestamp) throws -> [QueueAlert] {
        // The queue on the screen, so that the screen's next look finds its own.
        let queue = wanted.withLock { $0 }
        let look = try look(subject: nil, withPayloads: false, at: now, isFresh: false) { names in
            names.first { $0.shown == queue } ?? names.first
        }
        let mirror = try mirror(look, at: now)
        var request = LoadRequest()
        request.view = .fleet
        request.queues.height = max(20, look.queues.count)
        let wanted = request
        let scene = try mirror.store.readBlocking {
            try SceneLoader(Reading($0, now: now)).load(wanted)
        }
        let told = ForeignSceneAdapter(look: look, numbers: numbers, now: now).told(scene, nil)
        let failing = ends.withLock { $0.update(look, at: now) }
        return told.queues.flatMap { line in
            line.alerts.filter { $0.subject.kind != .failing }
                + (failing[line.name].map { [$0] } ?? [])
        }
    }

    func observe(_ notify: @escaping @Sendable () -> Void) throws -> any StoreObservation {
        try SecondsObservation(notify)
    }

    func close() {}

    /// Records an action for the event lines and the activity, because foreign systems keep no
    /// journal of it.
    func record(_ event: JournalEvent) {
        journal.withLock { journal in
            journal.append(event)
            journal.removeFirst(max(0, journal.count - Self.journalLimit))
        }
    }

    func queue(of task: TaskID) -> String? { lines.withLock { $0[task] } }

    /// The systems of the tasks that a verb from here changed, in order.
    typealias Done = [String]

    /// Notes what a verb did.
    func record(_ verb: Done) { if !verb.isEmpty { done.withLock { $0.append(verb) } } }

    /// Takes the last change for an undo; `nil` if none is known.
    func popLastDone() -> Done? { done.withLock { $0.popLast() } }

    /// Forgets what verbs did: something else was done since.
    func forgetDone() { done.withLock { $0 = [] } }

    func forget(_ task: TaskID) { if let name = numbers.name(task) { payloads.forget(name) } }

    /// The queue of a name that is shown, as the last look found it.
    func queue(shown name: String) throws(QueueError) -> ForeignQueueName {
        let all = shown.withLock { $0 }
        guard let found = all.first(where: { $0.shown.isSame(as: name) }) else {
            throw QueueError.unknownForeignQueue(name, known: all.map(\.shown))
        }
        return found
    }

    private func read<Value: Sendable>(
        _ queue: String?, _ filter: TaskFilter?, at now: Timestamp,
        _ body: @escaping @Sendable (SceneLoader, TaskFilter?) throws -> Value
    ) throws -> Value {
        let look = try look(
            subject: nil, withPayloads: filter?.asksPayload == true, at: now, isFresh: false
        ) { names in names.first { $0.shown.isSame(as: queue ?? "") } }
        let mirror = try mirror(look, at: now)
        let named = filter.map { ForeignQueueName.naming($0, among: look.queues.keys) }
        return try mirror.store.readBlocking {
            try body(SceneLoader(Reading($0, now: now)), named)
        }
    }

    private func look(
        subject: ForeignNumbers.Name?, withPayloads: Bool, at now: Timestamp, isFresh: Bool,
        _ selected: ([ForeignQueueName]) -> ForeignQueueName?
    ) throws -> ForeignLook {
        let former = last.withLock { $0 }
        let age = former.map { now - $0.runnersAt } ?? .max
        let isKept = !isFresh && (0..<ForeignLook.runnersMilliseconds).contains(age)
        var look = try session.ask { store in
            if let former, (0..<former.look.stillMilliseconds).contains(age),
                former.look.isStill(
                    try store.stamp(), at: selected, subject: subject, since: former.at, now: now)
            {
                return former.look
            }
            let isFirst = former == nil && !isFresh
            let look = try store.look(
                at: selected, subject: subject, runnersOf: isKept ? former?.look : nil,
                isFirst: isFirst)
            let runnersAt = isKept ? former?.runnersAt : nil
            last.withLock {
                $0 = Last(look: look, at: now, runnersAt: isFirst ? .unknown : runnersAt ?? now)
            }
            return look
        }
        if withPayloads {
            look.payloads = try session.ask { try payloads.read(of: look.tasks, in: $0) }
        }
        return look
    }

    private func mirror(_ look: ForeignLook, at now: Timestamp) throws -> ForeignMirror {
        try ForeignMirror(
            look, numbers: numbers, journal: journal.withLock { $0 }, at: now)
    }
}

/// The ends that the counts of queues showed in the last ten minutes.
struct ForeignEnds {
    private struct Sample {
        var at: Timestamp
        var failed: Int
        var succeeded: Int
    }
    private var samples: [String: [Sample]] = [:]
    private static let keptMilliseconds: Int64 = 600_000
    private static let leastAttempts = 10

    /// Adds the counts of a look. Returns alerts by shown queue name: more than a fifth of at least
    /// ten attempts failed.
    mutating func update(_ look: ForeignLook, at now: Timestamp) -> [String: QueueAlert] {
        var found: [String: QueueAlert] = [:]
        guard look.countsEnds else { return found }
        for (name, queue) in look.queues where queue.isExact(.failed) {
            var kept = (samples[name.shown] ?? []).filter {
                (0...Self.keptMilliseconds).contains(now - $0.at)
            }
            kept.append(Sample(at: now, failed: queue.failed, succeeded: queue.succeeded))
            samples[name.shown] = kept
            // A count that falls is of tasks that a person or the system took away.
            var (failed, succeeded) = (0, 0)
            for (former, next) in zip(kept, kept.dropFirst()) {
                failed += max(0, next.failed - former.failed)
                succeeded += max(0, next.succeeded - former.succeeded)
            }
            let all = failed + succeeded
            guard all >= Self.leastAttempts, failed * 5 > all else { continue }
            found[name.shown] = QueueAlert(
                subject: .init(kind: .failing, queue: name.shown),
                text: "\(name.shown) is failing: \(failed) of \(all) tasks failed while this "
                    + "looked, at most ten minutes")
        }
        return found
    }
}

extension ForeignLook {
    /// The system of a queue with this shown name.
    func system(of shown: String?) -> String? {
        queues.keys.first { $0.shown == shown }?.system
    }
}
