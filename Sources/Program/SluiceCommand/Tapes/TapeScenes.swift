import SluiceConsole
import SluiceControl
import SluiceModel
import SluicePlatform
import SluiceStore
import SluiceTapes

/// The scenes of a tape: the store after an event, with the clock of that moment.
final class TapeScenes: SceneSource {
    let kind = "tape"
    let isReadOnly = true
    let identity: String? = nil
    private let player: TapePlayer
    private let shown: Protected<TapePlayer.View>

    /// A tape at a path, at its beginning.
    init(_ path: String) throws {
        player = try TapePlayer(TapeFile(path))
        shown = Protected(try player.view(at: 0))
    }

    /// The last shown moment.
    var view: TapePlayer.View { shown.withLock { $0 } }

    func load(
        _ request: LoadRequest, at now: Timestamp, aside: @escaping SceneAside
    ) throws -> LoadedScene {
        let file = player.file
        let event =
            switch request.tape {
            case .event(let event): event
            case .moment(let moment): try file.event(at: moment)
            }
        let view = try player.view(at: event)
        shown.withLock { $0 = view }
        var request = request
        // Each moment is another store, so a search cannot continue in it.
        request.rows.search = nil
        var scene = try StoreScenes(view.store).load(request, at: view.at, aside: aside)
        scene.page?.search = nil
        scene.tape = TapePlace(
            event: view.event, count: file.count, at: view.at, remark: file.remark)
        // On a tape no time passes and nothing needs cleanup.
        scene.nextEvent = nil
        scene.hasRemains = false
        return scene
    }

    func collect(_ request: CollectRequest, at now: Timestamp) throws -> [TaskTarget] {
        let view = view
        return try StoreScenes(view.store).collect(request, at: view.at)
    }

    func count(_ request: CountRequest, at now: Timestamp) throws -> CountRequest {
        let view = view
        return try StoreScenes(view.store).count(request, at: view.at)
    }

    /// The past does not change, so the observer is never notified.
    func observe(_ notify: @escaping @Sendable () -> Void) throws -> any StoreObservation {
        try view.store.observe(notify)
    }

    func close() {}
}

extension ScreenOpening {
    /// The tape at a path; commands of its console are about the moment that is shown.
    func tape(at path: String) throws -> ScreenStore {
        let scenes = try TapeScenes(path)
        var host = host
        let openOther = host.open
        host.open = { place, access in
            if place == StorePlace(path) { return scenes.view.store }
            return try openOther(place, access)
        }
        let realNow = host.now
        host.now = { [weak scenes] in scenes?.view.at ?? realNow() }
        var common = common
        (common.store, common.isReadOnly) = (path, true)
        let commands = ScreenCommands(host: host, common: common, handlers: nil)
        let control = Control(
            store: scenes.view.store, person: person, now: host.now, chance: host.chance)
        return bound(
            scenes, at: path, reopen: { try tape(at: path) },
            StoreCommands(control: control, command: { commands.run($0, watch: $1) }))
    }
}
