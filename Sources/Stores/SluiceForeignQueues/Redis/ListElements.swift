import SluiceModel
import SluiceSystem

protocol IDListSystem: RedisListSystem {}

extension IDListSystem {
    func reference(of element: [UInt8]) -> String? { String(decoding: element, as: UTF8.self) }

    func known(_ reference: String) -> KnownElement { .only(Array(reference.utf8)) }
}

/// A system of lists of whole tasks.
protocol MessageListSystem: RedisListSystem {
    associatedtype Message: ListMessage
    /// Adds data from other keys to tasks of its lists.
    func marked(_ tasks: [ForeignTask], in queue: String) throws -> [ForeignTask]
}

/// An element that contains the whole waiting task.
protocol ListMessage {
    /// Decodes an element; `nil` if it is not one of this system.
    init?(_ bytes: [UInt8])
    var id: String { get }
    func task(in queue: String, _ display: ForeignTask.Display) -> ForeignTask
    var payload: ForeignPayload { get }
    /// Additional fields of the element, without the payload.
    var fields: JSONObject { get }
    /// The attempt that the element records.
    var attempt: ForeignAttempt? { get }
}

extension ListMessage {
    var attempt: ForeignAttempt? { nil }

    func detail(_ task: ForeignTask) -> ForeignDetail {
        var detail = ForeignDetail(task: task, payload: payload)
        detail.attempts = [attempt].compactMap { $0 }
        detail.fields = fields
        return detail
    }
}

extension ForeignTask {
    /// Shows a listed task with a later start time as delayed, even if it is held.
    mutating func showTime(at now: Timestamp) {
        guard let notBefore, notBefore > now, [.next, .due, .held].contains(display) else { return }
        display = .delayed
    }
}

extension MessageListSystem {
    /// A message may have a time, and other keys may stop it.
    var saysDisplay: Bool { true }

    /// By default no other key has data about a task.
    func marked(_ tasks: [ForeignTask], in queue: String) throws -> [ForeignTask] { tasks }

    func reference(of element: [UInt8]) -> String? { Message(element)?.id }

    func detail(_ task: ForeignTask, in element: [UInt8]) -> ForeignDetail? {
        Message(element)?.detail(task)
    }

    /// A task in a list of its queue.
    func listed(_ reference: String, in queue: String) throws -> ForeignDetail? {
        guard let place = try place(of: reference, in: queue),
            let message = Message(place.element)
        else { return nil }
        seen.keep(place.element, of: reference)
        var task = message.task(in: queue, place.display)
        task.showTime(at: Timestamp(milliseconds: SystemClock.nowMilliseconds()))
        return try message.detail(marked([task], in: queue).first ?? task)
    }

    func tasks(
        _ elements: [[UInt8]], in queue: String, _ display: ForeignTask.Display
    ) throws -> [ForeignTask] {
        let now = Timestamp(milliseconds: SystemClock.nowMilliseconds())
        let tasks = elements.map { element in
            guard var task = Message(element)?.task(in: queue, display) else {
                return ForeignTask(reference: "?", queue: queue, type: "?", display: display)
            }
            seen.keep(element, of: task.reference)
            task.showTime(at: now)
            return task
        }
        return try marked(tasks, in: queue)
    }
}
