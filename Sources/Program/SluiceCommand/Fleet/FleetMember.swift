import SluiceConsole
import SluiceControl
import SluiceModel
import SluiceStore
import SluiceSystem

/// A place of a fleet. A thread of its own asks it while the fleet is on the screen, so that a
/// silent place delays no other.
final class FleetMember: Sendable {
    private struct Contents: Sendable {
        var place: FleetPlace
        var store: ScreenStore?
        /// Report news to the screens that show the place as one of several.
        var watchers: [ObjectIdentifier: @Sendable () -> Void] = [:]
        /// How often the console has the place. While it has, it alone reads and closes the store.
        var loans = 0
        var isLent: Bool { loans > 0 }
        var wasLent = false
        var isAsking = false
        var isOver = false
        var failures = 0
    }
    /// The address, as the person gave it.
    let address: String
    private let contents: Protected<Contents>
    /// Wakes the thread for another task of it.
    private let wake: EventSignal
    /// Something changed at the place.
    private let news: EventSignal
    private let now: @Sendable () -> Timestamp
    private let open: @Sendable (String) throws -> ScreenStore

    private static let restMilliseconds = 1000
    /// Time alone changes what a queue is, such as stuck.
    private static let lookMilliseconds = 30_000
    private static let longestPauseMilliseconds = 30_000

    init(
        _ address: String, name: String, now: @escaping @Sendable () -> Timestamp,
        open: @escaping @Sendable (String) throws -> ScreenStore
    ) throws(SystemError) {
        (self.address, self.now, self.open) = (address, now, open)
        contents = Protected(Contents(place: FleetPlace(name: name, since: now())))
        wake = try EventSignal()
        news = try EventSignal()
    }

    /// The place as it answered last.
    var place: FleetPlace { contents.withLock { $0.place } }

    /// Whether the person was in the place, and it answers.
    var wasEntered: Bool {
        contents.withLock { $0.wasLent && $0.place.trouble(at: now()) == nil }
    }

    /// Starts its thread, which rests until the fleet is on the screen.
    func start() throws(SystemError) {
        _ = try Thread(name: "sluice-fleet") { [self] in run() }
    }

    /// Asks the place from now on for a watcher; nil ends that.
    func watch(_ notify: (@Sendable () -> Void)?, by watcher: ObjectIdentifier) {
        let now = now()
        contents.withLock { contents in
            if !contents.isAsking, case .asked = contents.place.state {
                contents.place.state = .asked(since: now)
            }
            contents.watchers[watcher] = notify
        }
        wake.signal()
    }

    /// Lends the open store to the console.
    func lend() throws(QueueError) -> ScreenStore {
        let moment = now()
        let (store, place) = contents.withLock { contents -> (ScreenStore?, FleetPlace) in
            let isReady = contents.place.trouble(at: moment) == nil || contents.isLent
            guard isReady, let store = contents.store else { return (nil, contents.place) }
            contents.loans += 1
            contents.wasLent = true
            return (store, contents.place)
        }
        guard let store else {
            throw QueueError(
                .serverGone, "\(place.name): \(place.trouble(at: moment) ?? "it is being opened")",
                fix: "wait for its answer")
        }
        return store
    }

    /// Takes back a store that was lent.
    func putBack(_ store: ScreenStore) {
        contents.withLock { contents in
            contents.store = store
            contents.loans -= 1
        }
        wake.signal()
    }

    /// Ends the thread, and closes the store unless a question to it is under way.
    func close() {
        let store = contents.withLock { contents in
            (contents.isOver, contents.watchers) = (true, [:])
            return contents.isLent || contents.isAsking ? nil : contents.store
        }
        wake.signal()
        store?.leave(QueueError(.noStore, "the screen was left", fix: "open it again"))
    }

    // The thread.

    private func run() {
        var observation: (any StoreObservation)?
        while true {
            wake.drain()
            news.drain()
            let (isOver, isWatched) = contents.withLock {
                ($0.isOver, !$0.watchers.isEmpty && !$0.isLent)
            }
            if isOver { return }
            guard isWatched else {
                observation = nil
                wait(for: [wake], nil)
                continue
            }
            let pause = ask(&observation)
            // Frequent commits must not occupy this thread.
            if !wait(for: [wake], min(pause, Self.restMilliseconds)) {
                wait(for: [wake, news], max(0, pause - Self.restMilliseconds))
            }
        }
    }

    @discardableResult private func wait(for signals: [EventSignal], _ milliseconds: Int?) -> Bool {
        let ready = try? Poll.wait(
            fds: signals.map { PollInterest($0.descriptor.number) },
            timeoutMilliseconds: milliseconds)
        return ready?.isEmpty == false
    }

    /// Asks the place once. Returns the time until the next question in milliseconds.
    private func ask(_ observation: inout (any StoreObservation)?) -> Int {
        let began = now()
        let known = begin(at: began)
        var store = known
        do {
            let opened = try store ?? open(address)
            store = opened
            if known == nil { contents.withLock { $0.store = opened } }
            if observation == nil {
                observation = try opened.scenes.observe { [news] in news.signal() }
            }
            var request = LoadRequest()
            request.view = .fleet
            request.queues.height = 67
            let scene = try opened.scenes.load(request, at: now(), aside: { $0() })
            finish(.success(FleetPlace.Summary(scene)), opened.scenes.kind)
            let next = scene.nextEvent.map { max(0, $0 - now()) } ?? .max
            return Int(min(next, Int64(Self.lookMilliseconds)))
        } catch {
            observation = nil
            return fail(QueueError(describing: error), store)
        }
    }

    private func begin(at moment: Timestamp) -> ScreenStore? {
        contents.withLock { contents in
            contents.isAsking = true
            if case .here = contents.place.state { contents.place.state = .asked(since: moment) }
            return contents.store
        }
    }

    private func finish(_ result: Result<FleetPlace.Summary, QueueError>, _ kind: String?) {
        let moment = now()
        let watchers = contents.withLock { contents in
            contents.isAsking = false
            switch result {
            case .success(let summary):
                contents.failures = 0
                (contents.place.state, contents.place.summary) = (.here, summary)
                contents.place.kind = kind
            case .failure(let error):
                contents.failures += 1
                var since = moment
                if case .away(_, let former, _) = contents.place.state { since = former }
                let next = moment + Int64(Self.pause(after: contents.failures))
                contents.place.state = .away(error, since: since, next: next)
            }
            return contents.watchers.values
        }
        for notify in watchers { notify() }
    }

    private func fail(_ error: QueueError, _ store: ScreenStore?) -> Int {
        let isLent = contents.withLock { $0.isLent }
        // The console that shows the place opens it again.
        if let store, !isLent, case .success(let next) = store.successor(after: error) {
            contents.withLock { ($0.store, $0.isAsking) = (next, false) }
            return 0
        }
        if [.noStore, .notAStore].contains(error.code) {
            contents.withLock { if !$0.isLent { $0.store = nil } }
        }
        finish(.failure(error), nil)
        return contents.withLock { Self.pause(after: $0.failures) }
    }

    private static func pause(after failures: Int) -> Int {
        min(longestPauseMilliseconds, 1000 << min(failures - 1, 5))
    }
}

extension FleetPlace {
    /// The conditions of its queues, as it answered last.
    var alerts: [QueueAlert] { (summary?.alerts ?? []).map(named) }

    /// A condition of a queue of this place, among those of several places.
    func named(_ alert: QueueAlert) -> QueueAlert {
        QueueAlert(
            subject: .init(kind: alert.subject.kind, queue: "\(name) \(alert.subject.queue)"),
            text: "\(name): \(alert.text)")
    }
}
