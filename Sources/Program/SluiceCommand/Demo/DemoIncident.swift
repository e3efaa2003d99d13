import SluiceConsole
import SluiceControl
import SluiceModel
import SluiceStore
import SluiceSystem
import SluiceTapes

/// The incident on the demo's tape. A user sets the concurrency of payments to eight, and the
/// provider refuses that. Payments fail until another user finds the cause. It runs in a store in
/// memory, by the rules, with yesterday's times.
struct DemoIncident {
    private static let queue = "payments"
    /// The number of concurrent payments that the provider accepts.
    private static let bearable = 2
    private static let tickMilliseconds: Int64 = 5_000

    private let store = MemoryStore(name: "payments")
    private let moment: Protected<Timestamp>
    private var recorder: TapeRecorder?
    private let runner: ProcessID
    private var running: [Claimed] = []
    private var number = 1200
    /// How often the provider refused a payment.
    private var refused = 0
    private(set) var chapters: [Tour.Chapter] = []

    /// Records the incident to a file. Returns the chapters of the tour with their events.
    static func record(into path: String, before now: Timestamp) throws -> [Tour.Chapter] {
        var incident = try DemoIncident(begin: now + -86_400_000)
        try incident.happen(recordedInto: path)
        return incident.chapters
    }

    private init(begin: Timestamp) throws {
        moment = Protected(begin)
        runner = try store.writeBlocking { writer in
            var settings = QueueSettings.preset(named: "delayed-job") ?? QueueSettings()
            settings.concurrency = Self.bearable
            settings.attemptLimit = 3
            settings.retry = .fixed(milliseconds: 15_000)
            settings.keepFinished = .last(40)
            try writer.put(
                QueueRecord(name: Self.queue, settings: settings, createdAt: begin + -3_600_000))
            var process = ProcessRecord(
                id: try writer.reserveNumber(), role: .runner, host: "pay-1", bootID: "", pid: 812,
                lockName: "", attachedAt: begin + -3_600_000)
            process.slots = 8
            try writer.put(process)
            return process.id
        }
    }

    private mutating func happen(recordedInto path: String) throws {
        try live(ticks: 9, coming: 1)
        let moment = moment
        let recorder = try TapeRecorder(
            store, TapeRecorder.Request(path: path), person: "demo",
            now: { moment.withLock { $0 } })
        try recorder.writeBeginning()
        self.recorder = recorder
        tell(
            "a tape of an incident, at its beginning",
            [(".", "goes one event on"), ("}", "a hundred"), ("J", "back to the demonstration")])
        try live(ticks: 6, coming: 1)
        try act("lee", .setQueue(Self.queue, [.concurrency(8)]))
        tell(
            "lee lets payments run 8 at a time",
            [(".", "continues"), ("4", "shows who did what"), ("J", "back to the demonstration")])
        try live(ticks: 9, coming: 4) { incident in incident.refused > 0 }
        tell(
            "the provider refuses some: HTTP 429",
            [(".", "continues"), ("5", "counts errors"), ("1", "the list"), ("w", "says why")])
        try live(ticks: 30, coming: 2) { incident in try !incident.failed().isEmpty }
        tell(
            "the first payment is given up",
            [("5", "counts them by error"), ("}", "continues"), ("{", "back to the cause")])
        try live(ticks: 5, coming: 2)
        try act("mira", .pause(PauseRequest(.queue(Self.queue), reason: "429 from the provider")))
        tell(
            "mira stops payments and looks for the cause",
            [("4", "shows what she sees"), ("Enter", "there goes to its moment"), (".", "on")])
        try live(ticks: 2, coming: 1)
        try act("mira", .setQueue(Self.queue, [.concurrency(Self.bearable)]))
        try act("mira", .retry(try failed()))
        try act("mira", .resume(.queue(Self.queue)))
        tell(
            "two at a time again; failed payments are due",
            [("}", "goes to the end"), (",", "one event back"), ("J", "back")])
        try live(ticks: 60, coming: 0) { incident in try incident.isDone() }
        _ = try recorder.end(nil)
        tell(
            "all are paid: the end of the tape",
            [("J", "to the demonstration"), ("{", "goes back"), (": at 0", "to the beginning")])
    }

    /// Adds a chapter at the current event.
    private mutating func tell(_ lead: String, _ steps: [(key: String, words: String)]) {
        let hint = Hint(lead, steps.map { Hint.Step($0.key, $0.words) })
        chapters.append(Tour.Chapter(event: recorder?.events ?? 0, hint))
    }

    /// Lets time pass, until something is so: payments come, are claimed, and end by the next tick.
    private mutating func live(
        ticks: Int, coming: Int, until isReached: (Self) throws -> Bool = { _ in false }
    ) throws {
        for _ in 0..<ticks {
            try pass()
            try settle()
            if try isReached(self) { return }
            for _ in 0..<coming { try add() }
            try claim()
        }
    }

    private func pass() throws {
        moment.withLock { $0 = $0 + Self.tickMilliseconds }
        // A recorder that waits too long loses its place.
        _ = try recorder?.move()
    }

    private mutating func add() throws {
        number += 1
        let order: JSONValue = ["order": JSONValue(number), "amount": JSONValue(900 + number % 41)]
        let request = EnqueueRequest(type: "charge", payload: order.bytes)
        try write { _ = try $0.enqueue([request], to: Self.queue) }
    }

    private mutating func claim() throws {
        let (runner, inFlight) = (runner, running.count)
        running += try write {
            try $0.claim(ClaimRequest(runner: runner, freeSlots: 8 - inFlight, inFlight: inFlight))
        }
    }

    /// If more payments run than the provider accepts, it accepts only the last.
    private mutating func settle() throws {
        let ended = running
        running = []
        for (place, claimed) in ended.enumerated() {
            guard let token = claimed.task.running?.token else { continue }
            let isTaken = ended.count <= Self.bearable || place == ended.count - 1
            if !isTaken { refused += 1 }
            let outcome: HandlerOutcome =
                isTaken
                ? .success(result: nil)
                : .retry(
                    afterMilliseconds: nil,
                    error: "HTTP 429 Too Many Requests from pay.example.com")
            let completion = Completion(
                task: claimed.task.id, token: token, ending: .handler(outcome))
            try write { _ = try $0.settle([completion]) }
        }
    }

    @discardableResult
    private func write<Value: Sendable>(
        _ body: @escaping @Sendable (Mutation) throws -> Value
    ) throws -> Value {
        let value = try store.transactBlocking(at: moment.withLock { $0 }, body)
        _ = try recorder?.move()
        return value
    }

    private func act(_ person: String, _ verb: Verb) throws {
        let moment = moment
        let control = Control(
            store: store, person: person, now: { moment.withLock { $0 } }, chance: { 0.5 })
        _ = try control.performBlocking(verb)
        _ = try recorder?.move()
    }

    private func isDone() throws -> Bool {
        let counts = try store.readBlocking { try $0.counts(queue: Self.queue) }
        return counts[.waiting] + counts[.running] == 0
    }

    private func failed() throws -> [TaskTarget] {
        try store.readBlocking { reader in
            try reader.tasks(matching: TaskQuery(queue: Self.queue, state: .failed, limit: 100))
                .map { TaskTarget($0) }
        }
    }
}
