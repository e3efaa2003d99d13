import SluiceConsole
import SluiceControl
import SluiceModel
import SluiceStore
import SluiceSystem

/// The scenes of a place, and on a wide screen what the other places of its fleet answered last.
final class PlaceScenes: SceneSource {
    let own: any SceneSource
    private let members: [FleetMember]
    private let place: Int
    private let watch: NeighbourWatch

    init(_ own: any SceneSource, at place: Int, of members: [FleetMember]) {
        (self.own, self.place, self.members) = (own, place, members)
        watch = NeighbourWatch(
            members.enumerated().filter { $0.offset != place }.map(\.element))
    }

    var kind: String { own.kind }
    var isReadOnly: Bool { own.isReadOnly }
    var identity: String? { own.identity }

    func load(
        _ request: LoadRequest, at now: Timestamp, aside: @escaping SceneAside
    ) throws -> LoadedScene {
        watch.set(isShown: request.withNeighbours)
        var scene = try own.load(request, at: now, aside: aside)
        if request.withNeighbours {
            scene.fleet = FleetReading(places: members.map(\.place), shown: place)
        }
        return scene
    }

    func collect(_ request: CollectRequest, at now: Timestamp) throws -> [TaskTarget] {
        try own.collect(request, at: now)
    }

    func count(_ request: CountRequest, at now: Timestamp) throws -> CountRequest {
        try own.count(request, at: now)
    }

    /// The conditions of this place now, and of the others as they answered last.
    func alerts(at now: Timestamp) throws -> [QueueAlert] {
        watch.set(hasAlerts: true)
        let own = try own.alerts(at: now)
        return members.enumerated().flatMap { number, member in
            number == place ? own.map(member.place.named) : member.place.alerts
        }
    }

    func observe(_ notify: @escaping @Sendable () -> Void) throws -> any StoreObservation {
        let observation = try own.observe(notify)
        watch.begin(notify)
        return PlaceObservation(observation, watch)
    }

    func close() {
        watch.end()
        own.close()
    }
}

/// Both: of the place, and of the others in the pane.
private final class PlaceObservation: StoreObservation {
    private let own: any StoreObservation
    private let watch: NeighbourWatch

    init(_ own: any StoreObservation, _ watch: NeighbourWatch) {
        (self.own, self.watch) = (own, watch)
    }

    var isNotified: Bool { own.isNotified }

    deinit { watch.end() }
}

/// Has the other places asked while the pane of queues shows them, or alerts are of them too.
private final class NeighbourWatch: Sendable {
    private struct Contents: Sendable {
        var notify: (@Sendable () -> Void)?
        var isShown = false
        var hasAlerts = false
        var isOn: Bool { isShown || hasAlerts }
    }
    private let members: [FleetMember]
    private let contents = Protected(Contents())

    init(_ members: [FleetMember]) { self.members = members }

    /// Reports news from now on.
    func begin(_ notify: @escaping @Sendable () -> Void) {
        let isOn = contents.withLock { contents in
            contents.notify = notify
            return contents.isOn
        }
        if isOn { watch(notify) }
    }

    func set(isShown: Bool? = nil, hasAlerts: Bool? = nil) {
        let change = contents.withLock { contents -> Contents? in
            let former = contents.isOn
            if let isShown { contents.isShown = isShown }
            if let hasAlerts { contents.hasAlerts = hasAlerts }
            return former == contents.isOn ? nil : contents
        }
        // Without an observation it begins with that.
        if let change, let notify = change.notify { watch(change.isOn ? notify : nil) }
    }

    private func watch(_ notify: (@Sendable () -> Void)?) {
        for member in members { member.watch(notify, by: ObjectIdentifier(self)) }
    }

    func end() {
        contents.withLock { $0 = Contents() }
        watch(nil)
    }
}
