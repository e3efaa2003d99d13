import SluiceControl
import SluiceModel
import SluiceStore
import SluiceSystem

/// The scene of `demo --customer-io`: a folder in the SDK's format, with one task that alone waits
/// for the registration of a push token. The folder engine writes all files.
struct DemoFolder {
    private static let profile = "dana@example.com"
    private static let profileGroup = "identified_profile_\(profile)"
    private static let token = "c25cef9e"
    private static let tokenGroup = "registered_push_token\(token)"

    let now: Timestamp

    /// An empty queue of the SDK's at `path`, which must be new or an empty folder.
    static func make(_ path: String) throws {
        if Files.exists(path) {
            guard Files.kind(path) == .folder, try Files.list(path).isEmpty else {
                throw QueueError.notLegal(
                    "\(path) is there and not empty",
                    fix: "name a new folder for the demonstration")
            }
        }
        try Files.makeDirectory("\(path)/tasks", withParents: true)
        try Files.writeAtomically(Array("[]".utf8), to: "\(path)/inventory.json")
    }

    /// The tasks that lie there at first, none of them a member of the token's group; then the app
    /// adds the one that is, and one more; and a person pauses the queue. Gives the queue's name.
    func fill(_ store: any QueueStore, chance: @escaping @Sendable () -> Double) throws -> String {
        let now = now
        let first = initial
        let queue = try store.writeBlocking { writer -> String in
            let queue = try writer.queues().first?.name ?? "demo"
            try writer.transact(at: now) { mutation in
                _ = try mutation.enqueue(first, to: queue)
            }
            return queue
        }
        func act(as person: String, _ verb: Verb) throws {
            let control = Control(
                store: store, person: person, now: { now }, chance: chance)
            _ = try control.performBlocking(verb)
        }
        try act(as: "the app", .enqueue(queue: queue, [deletion]))
        try act(as: "the app", .enqueue(queue: queue, [track("signed_out", secondsAgo: 0)]))
        let reason = "registerPushToken fails at first (simulated)"
        try act(as: "demo", .pause(PauseRequest(.queue(queue), reason: reason)))
        return queue
    }

    private var initial: [EnqueueRequest] {
        // A first identification starts no group, so no task waits for it.
        let identify = request(
            "identifyProfile",
            [
                "identifier": .string(Self.profile),
                "attributes_json_string": .string("{\"first_name\":\"Dana\",\"plan\":\"gold\"}"),
            ], secondsAgo: 90)
        let device = "{\"device\":{\"id\":\"\(Self.token)\",\"platform\":\"iOS\"}}"
        var register = request(
            "registerPushToken",
            [
                "profile_identifier": .string(Self.profile),
                "attributes_json_string": .string(device),
            ], secondsAgo: 70)
        register.groupStart = Self.tokenGroup
        register.groupMembers = [Self.profileGroup]
        let metric = request(
            "trackPushMetric",
            [
                "delivery_id": "b41f07", "event": "opened", "device_id": .string(Self.token),
                "timestamp": .integer(seconds(ago: 45)),
            ], secondsAgo: 45)
        return [
            identify, track("signed_in", secondsAgo: 85), register,
            track("opened_cart", secondsAgo: 60), metric, track("paid", secondsAgo: 30),
        ]
    }

    private var deletion: EnqueueRequest {
        var request = request(
            "deletePushToken",
            ["profile_identifier": .string(Self.profile), "device_token": .string(Self.token)],
            secondsAgo: 0)
        request.groupMembers = [Self.tokenGroup, Self.profileGroup]
        return request
    }

    private func track(_ event: String, secondsAgo: Int64) -> EnqueueRequest {
        let inner =
            "{\"data\":{},\"name\":\"\(event)\",\"timestamp\":\(seconds(ago: secondsAgo)),"
            + "\"type\":\"event\"}"
        var request = request(
            "trackEvent",
            ["identifier": .string(Self.profile), "attributes_json_string": .string(inner)],
            secondsAgo: secondsAgo)
        request.groupMembers = [Self.profileGroup]
        return request
    }

    private func request(
        _ type: String, _ payload: JSONValue, secondsAgo: Int64
    ) -> EnqueueRequest {
        var request = EnqueueRequest(type: type, payload: payload.bytes)
        request.createdAt = now + -secondsAgo * 1000
        return request
    }

    private func seconds(ago: Int64) -> Int64 { now.milliseconds / 1000 - ago }
}
