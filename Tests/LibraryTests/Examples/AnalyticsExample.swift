import Sluice

/// A profile at sign-in.
struct Identify: TaskPayload {
    static let taskType = "identify"
    var user: String
    var plan: String
}

/// An action of a user. Its content keeps the values of that time, even if the profile changes.
struct Track: TaskPayload {
    static let taskType = "track"
    var user: String
    var event: String
    var plan: String
}

/// An analytics client: calls return immediately, batches are sent in order, and a user's profile
/// is sent before the user's events.
final class Analytics: Sendable {
    let app: QueueClient

    /// `send` simulates the network. A thrown error retries in the next batch.
    init(storeAt path: String, send: @escaping @Sendable (String) throws -> Void) async throws {
        app = try QueueClient.open(path)
        // Ten events or 30 seconds make a batch; here the seconds are milliseconds.
        try await app.control.perform(
            .setQueue("analytics", [.preset(.customerIO), .batchDelay(30)]))
        try app.handle(Identify.self) { profile, _ in
            try send("identify \(profile.user) (\(profile.plan))")
        }
        try app.handle(Track.self) { event, _ in
            try send("track \(event.user): \(event.event) (\(event.plan))")
        }
    }

    /// Starts the user's group: its members wait until this has succeeded.
    func identify(_ user: String, plan: String) async throws {
        try await app.enqueue(Identify(user: user, plan: plan), to: "analytics") {
            $0.groupStart = user
        }
    }

    /// Belongs to the user's group.
    func track(_ event: String, of user: String, plan: String) async throws {
        try await app.enqueue(Track(user: user, event: event, plan: plan), to: "analytics") {
            $0.groupMembers = [user]
        }
    }
}
