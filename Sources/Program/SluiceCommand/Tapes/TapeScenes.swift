import SluiceConsole
import SluiceControl
import SluiceModel
import SluiceStore
import SluiceSystem
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

/// A tape in the place of a store: reading commands see one of its moments (G6).
extension CommandContext {
    /// The moment of `--at`, else the end. Throws `readOnly` for a command that may change
    /// something, with the one that makes a store of a moment; `badValue` for an event that the
    /// tape has not, and what opening it throws.
    func viewOfTape() throws -> TapePlayer.View {
        do {
            guard isReader else { throw QueueError.unchangeableTape(storeName) }
            let file = try TapeFile(storeName)
            try file.check(common.event)
            if let remark = file.remark, !common.isJSON, !common.isQuiet {
                try host.remark(remark)
            }
            return try TapePlayer.view(of: file, at: common.event ?? file.count)
        } catch let error as QueueError {
            throw Failed(error, exit: ExitCode(error, atOpening: true))
        }
    }

    /// Whether the store is a tape, or a moment of a tape open in a console. Does not open another
    /// store's file, since closing it would release the locks on it.
    func isTape() throws -> Bool {
        let store = try store()
        return tapeMoment != nil || store is MemoryStore && TapeFile.isThere(storeName)
    }

    /// Throws `badValue` for an event at a store that is not a tape.
    func refuseEventOfStore() throws {
        guard common.event != nil else { return }
        throw QueueError(
            .badValue, "--at: \(shownName) is a store, not a tape",
            fix: "sluice record FILE makes a tape of it")
    }

    /// Throws `notLegal` on a tape, where waiting is pointless.
    func refuseWaitingOnTape(fix: String) throws {
        _ = try store()
        guard tapeMoment != nil else { return }
        throw QueueError.notLegal("\(storeName) is a tape: nothing more happens on it", fix: fix)
    }
}

extension TapeFile {
    /// Throws `badValue` for an event that it has not.
    func check(_ event: Int?) throws(QueueError) {
        guard let event, event > count else { return }
        throw QueueError(
            .badValue, "--at: there is no event \(event) in \(path)", fix: "allowed: 0 to \(count)")
    }
}

extension QueueError {
    /// The error for an `import` from a tape.
    static func importOfTape(_ path: String) -> QueueError {
        QueueError(
            .notAStore, "\(path) is a tape, the recording of a store, and no file of tasks",
            fix: "sluice replay \(ShellWord.quoted(path)) --at EVENT --into NEW.db makes a store "
                + "of one of its moments, to import tasks from")
    }

    /// The error for a change of a tape, with the command that makes a store of it.
    static func unchangeableTape(_ path: String) -> QueueError {
        QueueError(
            .readOnly, "\(path) is a tape: the past cannot be changed",
            fix: "sluice replay \(ShellWord.quoted(path)) --at EVENT --into NEW.db "
                + "makes a store of one of its moments")
    }
}
