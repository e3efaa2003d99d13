import SluiceControl
import SluiceModel
import SluiceSQL
import SluiceStore
import SluiceSystem
import SluiceTestSupport

/// Another process at the store, as the console sees it: this one, without a program in between.
final class Neighbour: Sendable {
    let store: SQLiteStore
    private let attachment: Attachment

    init(at place: Workplace) throws {
        store = try SQLiteStore.open(path: place.store)
        attachment = try Attachment(to: store, role: .program, now: Self.now())
    }

    deinit { store.close() }

    /// Performs a verb under a person's name. Returns the commit time on the monotonic clock.
    @discardableResult
    func perform(_ verb: Verb, by person: String = "neighbour") throws -> UInt64 {
        try control(person).performBlocking(verb)
        return SystemClock.monotonicNanoseconds()
    }

    /// Steps a queue once, which ends when a worker has executed the task.
    @discardableResult
    func step(_ queue: String, by person: String = "neighbour") throws -> StepAnswer {
        try control(person).stepBlocking(.queue(queue, count: 1), issuer: attachment)
    }

    /// Enqueues many tasks in one commit; gives their numbers.
    @discardableResult
    func enqueue(
        _ queue: String, _ requests: [EnqueueRequest], by person: String = "neighbour"
    ) throws -> [TaskID] {
        try control(person).performBlocking(.enqueue(queue: queue, requests)).changed
    }

    func read<Value: Sendable>(
        _ body: @escaping @Sendable (any StoreReader) throws -> Value
    ) throws -> Value {
        try store.readBlocking(body)
    }

    /// Holds a write transaction open, signals that, and ends it on a signal.
    func hold(_ isHeld: EventSignal, until isOver: EventSignal) throws {
        try store.writeBlocking { store in
            try store.put(try store.storeRecord())
            isHeld.signal()
            _ = try Poll.wait(
                fds: [PollInterest(isOver.descriptor.number)], timeoutMilliseconds: 60_000)
        }
    }

    func leave() throws { try attachment.detach(now: Self.now()) }

    private func control(_ person: String) -> Control {
        Control(store: store, person: person, now: Self.now, chance: { 0.5 })
    }

    private static let now: @Sendable () -> Timestamp = {
        Timestamp(milliseconds: SystemClock.nowMilliseconds())
    }
}
