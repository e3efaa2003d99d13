import SluiceControl
import SluiceModel
import SluiceStore
import SluiceTerminalUI

@testable import SluiceConsole

/// A console on a store in memory that executes effects immediately: the shell without a terminal.
final class Bench {
    let store: MemoryStore
    var state: ConsoleState
    var now: Timestamp
    private(set) var effects: [ConsoleEffect] = []
    /// Whether the test controls when loads are answered.
    var holdsLoads = false
    /// The number of further loads to answer.
    var loadLimit = Int.max
    /// Whether the test answers verbs.
    var holdsVerbs = false
    /// The tasks' ids where the store is a Customer.io folder.
    var folderIDs: [TaskID: String] = [:]
    /// The run folder with the output of running attempts, and the time by the clock of its disk.
    var (runFolder, machineNow): (String?, Int64) = (nil, 0)
    private var heldLoads: [LoadRequest] = []
    /// The number of events of a simulated tape, one minute apart; `nil` for a store.
    var tapeCount: Int?
    /// Whether the test answers counts.
    var holdsCounts = false
    var heldCounts: [CountRequest] = []

    init(
        store: MemoryStore, size: Size = Size(width: 120, height: 40), now: Timestamp,
        name: String = "app.db", isReadOnly: Bool = false, glyphs: GlyphSet = .unicode,
        hints: [Hint] = [], holdsLoads: Bool = false
    ) {
        self.store = store
        self.holdsLoads = holdsLoads
        self.now = now
        var settings = ConsoleSettings(storeName: name, storeKind: "sqlite")
        settings.isReadOnly = isReadOnly
        settings.glyphs = glyphs
        settings.openingHint = hints.first
        settings.stepHint = hints.last
        state = ConsoleState(settings: settings, size: size, now: now)
        send(.tick(now))
    }

    var buffer: CellBuffer { state.view(state.size) }
    var lines: [String] { buffer.lines }
    var screen: String { lines.joined(separator: "\n") }

    /// The command and text of the message line.
    var message: String { state.message.map { "\($0.command ?? "") | \($0.text)" } ?? "" }

    func send(_ message: ConsoleMessage) {
        let made = state.update(message)
        effects += made
        for effect in made { perform(effect) }
    }

    /// Types keys by their names, separated by blanks.
    func press(_ keys: String) {
        for name in keys.split(separator: " ") {
            if let key = Key(name: String(name)) { send(.input(.key(key))) }
        }
    }

    /// Chooses an action in the palette by its place.
    func choose(_ id: Action.ID) {
        guard let place = ActionMenu.entries.firstIndex(where: { $0.id == id }) else { return }
        press("a" + String(repeating: " Down", count: place + 1) + " Enter")
    }

    func type(_ text: String) {
        for character in text { send(.input(.key(.character(character)))) }
    }

    func wait(milliseconds: Int64) {
        now = now + milliseconds
        send(.tick(now))
    }

    func releaseLoads() {
        holdsLoads = false
        let held = heldLoads
        heldLoads = []
        for request in held { load(request) }
    }

    func takeEffects() -> [ConsoleEffect] {
        defer { effects = [] }
        return effects
    }

    func change(_ body: @escaping @Sendable (any StoreWriter) throws -> Void) throws {
        try store.writeBlocking(body)
        send(.storeChanged)
    }

    private func perform(_ effect: ConsoleEffect) {
        let control = Control(store: store, person: "dana", now: clock, chance: { 0.5 })
        switch effect {
        case .load(let request):
            if holdsLoads { heldLoads.append(request) } else { load(request) }
        case .collect(let request):
            let moment = now
            if let targets = try? store.readBlocking({
                try SceneLoader(Reading($0, now: moment)).collect(request)
            }) {
                send(.collected(request, targets))
            }
        case .count(let request):
            if holdsCounts { heldCounts.append(request) } else { count(request) }
        case .perform(let verb, let token):
            guard !holdsVerbs else { return }
            send(.answered(token: token, result { try control.performBlocking(verb) }))
            send(.storeChanged)
        case .rehearse(let verb, let token):
            send(
                .rehearsed(
                    token: token, result { try control.rehearse(verb, watching: { _ in .stop }) }))
        case .readPayload(let id, let request):
            let moment = now
            send(
                .payload(
                    of: id,
                    result {
                        try store.readBlocking {
                            try SceneLoader(Reading($0, now: moment)).load(request).detail?.payload
                        }
                    }))
        case .keepColumns: send(.kept(.success("/home/dana/.config/sluice/columns")))
        case .step, .stop, .keepPanes, .repaint, .command, .open, .wakeAt, .copy, .report, .record,
            .endRecording, .edit, .runOwn, .screenshot, .endEdit, .suspend, .readAlerts, .notify,
            .quit:
            break
        }
    }

    func count(_ request: CountRequest) {
        let moment = now
        switch result({
            try store.readBlocking { try SceneLoader(Reading($0, now: moment)).count(request) }
        }) {
        case .success(let counted): send(.counted(counted))
        case .failure(let error): send(.loadFailed(error))
        }
    }

    private var clock: @Sendable () -> Timestamp {
        let moment = now
        return { moment }
    }

    private func load(_ request: LoadRequest) {
        guard loadLimit > 0 else { return }
        loadLimit -= 1
        let (moment, name) = (now, store.shortName)
        switch result({
            try store.readBlocking {
                try SceneLoader(Reading($0, now: moment), of: name).load(request)
            }
        }) {
        case .success(var scene):
            if !folderIDs.isEmpty { scene.names = TaskNames(folderIDs) }
            if let tapeCount { scene.tape = place(of: request.tape, count: tapeCount) }
            send(.loaded(scene.withOutput(in: runFolder, machineNow: machineNow)))
        case .failure(let error): send(.loadFailed(error, of: request.generation))
        }
    }

    private func place(of goal: TapeGoal, count: Int) -> TapePlace {
        let event =
            switch goal {
            case .event(let event): event
            case .moment(let moment): Int((moment - now) / 60_000)
            }
        let kept = min(max(0, event), count)
        return TapePlace(
            event: kept, count: count, at: now + Int64(kept) * 60_000, remark: nil)
    }

    private func result<Value>(_ body: () throws -> Value) -> Result<Value, QueueError> {
        do { return .success(try body()) } catch let error as QueueError {
            return .failure(error)
        } catch { return .failure(QueueError(.damagedStore, "\(error)")) }
    }
}
