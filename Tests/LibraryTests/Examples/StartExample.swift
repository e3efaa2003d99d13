import Sluice

/// The steps when an app starts. The order of the cases is the order of work. A new step needs one
/// more case and its line in `work`.
enum Step: Int, Codable, CaseIterable, Sendable {
    case network, location, profile, login, appInformation, banner

    /// A required step that fails stops the flow; an optional one is passed over.
    var isRequired: Bool { self != .location && self != .banner }
}

/// A step in the queue.
struct StartStep: TaskPayload {
    static let taskType = "step"
    var step: Step
}

/// The start of an app: steps know nothing of each other, and any of them may send the flow back.
final class AppStart: Sendable {
    let app: QueueClient
    private let queue = "start"

    /// `work` performs a step. If it returns another step, the flow continues there.
    init(
        storeAt path: String, work: @escaping @Sendable (Step) throws -> Step?
    ) async throws {
        app = try QueueClient.open(path)
        try await app.control.perform(.setQueue(queue, [.preset(.startup)]))
        try app.handle(StartStep.self) { start, task in
            if let earlier = try work(start.step) {
                try task.enqueue(StartStep(step: earlier)) { $0.priority = -earlier.rawValue }
            }
        }
    }

    /// Enqueues without starting.
    func enqueue(_ steps: [Step]) async throws {
        for step in steps {
            try await app.enqueue(StartStep(step: step), to: queue) {
                $0.priority = -step.rawValue
                $0.isRequired = step.isRequired
            }
        }
    }

    /// Runs the waiting steps, smallest rank first. The next call continues after a required
    /// failure.
    func run() async throws {
        try await app.control.perform(.resume(.queue(queue)))
        try await app.control.perform(.run(queue: queue, limit: nil))
        try await app.drain()
    }
}
