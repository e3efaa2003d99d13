import SluiceConsole
import SluiceControl
import SluiceModel
import SluiceStore
import SluiceSystem

/// The scene of several places. It never waits for one of them.
final class FleetScenes: SceneSource {
    let kind = FleetReading.name
    let isReadOnly: Bool
    let identity: String? = nil
    private let members: [FleetMember]
    private let now: @Sendable () -> Timestamp

    init(_ members: [FleetMember], isReadOnly: Bool, now: @escaping @Sendable () -> Timestamp) {
        (self.members, self.isReadOnly, self.now) = (members, isReadOnly, now)
    }

    func load(
        _ request: LoadRequest, at now: Timestamp, aside: @escaping SceneAside
    ) throws -> LoadedScene {
        LoadedScene(
            fleet: FleetReading(places: members.map(\.place)), answering: request, at: now)
    }

    func collect(_ request: CollectRequest, at now: Timestamp) throws -> [TaskTarget] { [] }

    func count(_ request: CountRequest, at now: Timestamp) throws -> CountRequest { request }

    func observe(_ notify: @escaping @Sendable () -> Void) throws -> any StoreObservation {
        FleetObservation(members, notify)
    }

    /// The conditions of all places, as they answered last.
    func alerts(at now: Timestamp) throws -> [QueueAlert] {
        members.flatMap { $0.place.alerts }
    }

    /// The addresses of the places that the person entered and that answer.
    var entered: [String] { members.filter(\.wasEntered).map(\.address) }

    func close() { for member in members { member.close() } }
}

/// The members read their places while this value exists.
private final class FleetObservation: StoreObservation {
    private let members: [FleetMember]

    init(_ members: [FleetMember], _ notify: @escaping @Sendable () -> Void) {
        self.members = members
        for member in members { member.watch(notify, by: ObjectIdentifier(self)) }
    }

    deinit { for member in members { member.watch(nil, by: ObjectIdentifier(self)) } }
}

extension ScreenOpening {
    /// The screen of several places.
    func fleet(of places: [String]) throws -> ScreenStore {
        let home = Protected<ScreenStore?>(nil)
        let list = Protected<[FleetMember]>([])
        var opening = self
        opening.neighbour = { name throws(QueueError) in
            if name == FleetReading.name { return home.withLock { $0 } }
            let members = list.withLock { $0 }
            let index =
                members.firstIndex { StorePlace($0.address).isSame(as: StorePlace(name)) }
                ?? members.firstIndex { $0.place.name == name }
            return try index.map { index throws(QueueError) in
                try Self.lend(members[index], at: index, of: members)
            }
        }
        let (now, own) = (host.now, opening)
        let find = opening.neighbour
        let members = try places.map { place in
            try FleetMember(
                place, name: ForeignPlaceName.shown(place), now: now, open: { try own.open($0) })
        }
        list.withLock { $0 = members }
        var commands = commands(at: "")
        commands.places = places
        let scenes = FleetScenes(members, isReadOnly: common.isReadOnly, now: now)
        var screen = ScreenStore(
            scenes, commands: .ofFleet(commands), name: FleetReading.name,
            reopen: { throw QueueError(.noStore, "the places are gone") },
            elsewhere: { name in try find(name) ?? own.open(name) })
        screen.putBack = { _ in }
        let shown = screen
        home.withLock { $0 = shown }
        for member in members { try member.start() }
        return screen
    }

    /// A place for the screen, with the others of its fleet around it.
    private static func lend(
        _ member: FleetMember, at index: Int, of members: [FleetMember]
    ) throws(QueueError) -> ScreenStore {
        var store = try member.lend()
        store.surround { PlaceScenes($0, at: index, of: members) }
        store.putBack = { store in
            member.putBack((store.scenes as? PlaceScenes).map { store.alone($0.own) } ?? store)
        }
        return store
    }
}

extension StoreCommands {
    /// The commands on the screen of several places: the ones that take several stores.
    fileprivate static func ofFleet(_ commands: ScreenCommands) -> StoreCommands {
        let refusal: @Sendable () -> QueueError = {
            QueueError.notLegal("that is for one place", fix: "go into the place first")
        }
        return StoreCommands(
            perform: { _, _ in throw refusal() }, rehearse: { _ in throw refusal() },
            step: { _ in throw refusal() }, command: { commands.run($0, watch: $1) },
            beginEdit: { _ in throw refusal() }, renewEdit: {}, endEdit: {}, clearUp: {})
    }
}
