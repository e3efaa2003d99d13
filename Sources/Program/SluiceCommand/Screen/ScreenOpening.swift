import SluiceConsole
import SluiceControl
import SluiceForeignQueues
import SluiceModel
import SluiceStore
import SluiceSystem
import SluiceTapes

/// How the console comes to a store by its name: with what the program was started with, it opens
/// it and binds to it who acts, the handlers and the command line.
struct ScreenOpening: Sendable {
    let host: Host
    let common: CommonOptions
    let handlers: String?
    let person: String
    /// A place of the same fleet, which is open already; nil for other names.
    var neighbour: @Sendable (String) throws(QueueError) -> ScreenStore? = { _ in nil }

    /// The store of a place, opened; other systems' queues by their address.
    func open(_ place: String) throws -> ScreenStore {
        if ForeignStore.isForeign(place) {
            return try foreign(at: ForeignStorePlace(place, as: nil))
        }
        if TapeFile.isThere(place) { return try tape(at: place) }
        do {
            return try source(host.openStore(place, access), at: place)
        } catch {
            // The database of another program may have queues of other systems.
            let codes: [QueueError.Code] = [.noStore, .notAStore, .damagedStore]
            guard codes.contains(QueueError(describing: error).code) else { throw error }
            do {
                return try foreign(at: ForeignStorePlace(place, as: nil))
            } catch let problem {
                if case .unfit(let unfit)? = try? ForeignStorePlace(place, as: nil).find() {
                    throw unfit
                }
                throw QueueError(describing: problem).saysMoreThanNoStore ? problem : error
            }
        }
    }

    /// The queues of other systems.
    func foreign(at place: ForeignStorePlace) throws -> ScreenStore {
        let scenes = try ForeignScenes(isReadOnly: common.isReadOnly) { try place.open() }
        var commands = commands(at: place.address)
        commands.host.foreignNumbers = scenes.numbers
        let line = commands
        let changes = ForeignCommands(
            host: line.host, common: line.common, scenes: scenes, place: place)
        return bound(
            scenes, at: place.address, reopen: { try foreign(at: place) },
            changes.commands { line.run($0, watch: $1) })
    }

    /// The screen's view of an open store.
    func source(_ store: any QueueStore, at place: String) -> ScreenStore {
        let commands = commands(at: place)
        let control = Control(store: store, person: person, now: host.now, chance: host.chance)
        var changes = StoreCommands(
            control: control, command: { commands.run($0, watch: $1) },
            withHandlers: { try commands.withHandlers($0) })
        changes.runsHere = handlers != nil
        var screen = bound(
            StoreScenes(store, machineNow: { SystemClock.nowMilliseconds() }), at: place,
            reopen: { try open(place) }, changes)
        if store.upgradedFrom != nil { screen.hint = Hint(Host.broughtUp(store.name), []) }
        return screen
    }

    /// The command line of the screen at a place.
    func commands(at place: String) -> ScreenCommands {
        var common = common
        common.store = place
        return ScreenCommands(host: host, common: common, handlers: handlers)
    }

    /// Combines scenes with the commands that change them.
    func bound(
        _ scenes: any SceneSource, at place: String,
        reopen: @escaping @Sendable () throws -> ScreenStore, _ commands: StoreCommands
    ) -> ScreenStore {
        ScreenStore(
            scenes, commands: commands, name: ForeignStore.shownName(place), reopen: reopen,
            elsewhere: { other in
                if let store = try neighbour(other) { return store }
                guard !StorePlace(other).isSame(as: StorePlace(place)) else {
                    throw QueueError(
                        .badValue, "\(ForeignStore.shownName(other)) is open already",
                        fix: "name another store")
                }
                return try open(other)
            })
    }

    private var access: StoreAccess { StoreAccess(isReadOnly: common.isReadOnly) }
}
