import Sluice

/// An app's answer to a query for an order.
func status(of id: TaskID, in app: QueueClient) async throws -> String {
    guard let task = try await app.task(id) else { return "no such order" }
    let attempt = try await app.attempts(of: id).last
    switch task.stateName {
    case .waiting: return try await app.why(id).first ?? "comes next"
    case .running: return "\(Int(100 * (attempt?.fraction ?? 0))) %"
    case .failed: return attempt?.error ?? "failed"
    case .succeeded, .deleted: return task.stateName.rawValue
    }
}
