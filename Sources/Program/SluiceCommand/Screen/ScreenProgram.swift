import SluiceConsole
import SluiceControl
import SluiceModel
import SluiceStore
import SluiceSystem
import SluiceTerminalCurses
import SluiceTerminalUI

/// The console on a terminal. One thread owns the terminal and the state. Other threads read the
/// store and run commands; their results arrive through one inbox.
final class ScreenProgram {
    private var source: ScreenStore
    private var observation: (any StoreObservation)?
    private var wasNotified = true
    /// How often another store took the place of the one before.
    private var successions = 0
    private let now: @Sendable () -> Timestamp
    private let keep: ScreenKeeping
    let terminal: CursesTerminal
    let inbox: ScreenInbox
    private(set) var threads: ScreenThreads
    private let stops = BulkStops()
    let ownCommands = OwnCommandRunner()
    private(set) var state: ConsoleState
    private var wakeAt: Timestamp?
    /// The next read. After a key, it waits until the screen has been drawn.
    private var dueRead: LoadRequest?
    private var hasSentZone = false
    private var hasQuit = false
    private var shownPlace: ScreenPlace?
    private var scenes: any SceneSource { source.scenes }
    var commands: StoreCommands { source.commands }
    /// The minimum interval between commit notices, so that a busy store does not occupy the
    /// screen's thread. A held notice stays in the inbox, where later ones join it without a wake.
    private static let noticeMilliseconds: UInt64 = 30
    private var lastNotice: UInt64 = 0
    private var heldNotice: UInt64?
    /// The messages to print after the terminal is restored.
    private(set) var partingWords: [String] = []

    /// Opens the screen; throws `noTerminal` without a terminal (K12).
    init(
        _ source: ScreenStore, settings: ConsoleSettings, terminal options: TerminalOptions,
        now: @escaping @Sendable () -> Timestamp,
        keep: ScreenKeeping
    ) throws(QueueError) {
        self.source = source
        self.keep = keep
        self.now = now
        do {
            inbox = try ScreenInbox()
            threads = try ScreenThreads()
        } catch {
            throw QueueError(.denied, error.sentence, fix: "close other programs and try again")
        }
        do {
            terminal = try CursesTerminal(options: options)
        } catch {
            throw QueueError(
                .noTerminal, error.sentence, fix: "sluice list and sluice watch need no screen")
        }
        state = ConsoleState(settings: settings, size: terminal.size, now: now())
    }

    /// Runs until the person or a signal ends it; the terminal is then as it was (K8).
    func run() throws(QueueError) {
        do {
            try observe()
        } catch {
            terminal.close()
            throw error
        }
        defer {
            observation = nil
            terminal.close()
            stops.stopAll()
            partingWords = source.leave(
                QueueError(.noStore, "the screen was left", fix: "open it again"))
        }
        let loop = TerminalLoop(terminal, wake: inbox.signal)
        do {
            try loop.run { inputs in handle(inputs) }
        } catch {
            throw QueueError(.noTerminal, error.sentence, fix: "start it again")
        }
    }

    private func observe() throws(QueueError) {
        let inbox = inbox
        do {
            observation = try scenes.observe { inbox.notice() }
        } catch {
            throw error as? QueueError
                ?? QueueError(.denied, "the store cannot be watched: \(error)")
        }
    }

    /// Continues with a store that replaced the shown one. If it is a different store, the console
    /// keeps nothing of the former one (K1).
    private func take(_ successor: ScreenStore, _ number: Int) {
        guard number == successions else { return giveUp(successor) }
        let isSame = successor.isSame(as: source)
        show(successor, .reopened(kind: successor.scenes.kind, isSame: isSame))
    }

    /// Switches to the store that the user chose. Leaves the former one after its current read.
    private func open(_ other: ScreenStore, _ number: Int) {
        guard number == successions else { return giveUp(other) }
        let (former, readers) = (source, threads.readers)
        // Questions to the former store may never be answered.
        threads = (try? ScreenThreads()) ?? threads
        show(
            other,
            .opened(
                name: other.name, kind: other.scenes.kind, isReadOnly: other.scenes.isReadOnly))
        if let putBack = former.putBack { return putBack(former) }
        readers.put {
            former.leave(QueueError(.noStore, "another store was opened", fix: "ask again there"))
        }
    }

    /// Leaves a store that came after the person had gone elsewhere.
    private func giveUp(_ store: ScreenStore) {
        if let putBack = store.putBack { return putBack(store) }
        threads.readers.put {
            store.leave(QueueError(.noStore, "another store was opened", fix: "ask again there"))
        }
    }

    private func show(_ store: ScreenStore, _ message: ConsoleMessage) {
        source = store
        successions += 1
        send(message)
        do throws(QueueError) {
            try observe()
        } catch {
            send(.loadFailed(error))
        }
    }

    private func handle(_ inputs: [LoopInput]) -> LoopNext {
        tick()
        if let isNotified = observation?.isNotified, isNotified != wasNotified {
            wasNotified = isNotified
            send(.told(isNotified))
        }
        for input in inputs { handle(input) }
        tellHeldNotice()
        if hasQuit { return .stop }
        let isOfPerson = inputs.contains { if case .input = $0 { true } else { false } }
        if !isOfPerson { readWhatIsDue() }
        let size = terminal.size
        let picture = state.view(size, since: shownPlace) { picture, part in
            if isOfPerson { terminal.draw(part, of: picture) }
        }
        shownPlace = state.place
        terminal.draw(picture, cursor: state.cursor(size))
        readWhatIsDue()
        return .wait(untilNanoseconds: deadline)
    }

    private func handle(_ input: LoopInput) {
        switch input {
        case .started, .deadline, .restyled: break
        case .joins(let joins): send(.joins(joins))
        case .input(let events): for event in events { send(.input(event)) }
        case .resized(let size): send(.resized(size))
        case .woken: drainInbox()
        case .resumed: send(.storeChanged)
        case .signal(.hangUp): hasQuit = true
        case .signal: send(.terminated)
        }
    }

    private func tick() {
        let moment = now()
        if !hasSentZone {
            hasSentZone = true
            send(.zone(ZoneFiles.ofMachine(at: moment)))
        }
        send(.tick(moment))
    }

    private func drainInbox() {
        let (items, hasNotice) = inbox.take()
        for item in items {
            switch item {
            case .message(let message): send(message)
            case .found(let message, let number): if number == successions { send(message) }
            case .edit(let target, let payload): edit(target, payload)
            case .successor(let successor, let number): take(successor, number)
            case .other(let other, let number): open(other, number)
            case .report(let ids, let result): send(.reported(ids, keep(result, of: ids)))
            }
        }
        guard hasNotice, heldNotice == nil else { return }
        let moment = SystemClock.monotonicNanoseconds()
        let earliest = lastNotice + Self.noticeMilliseconds * 1_000_000
        heldNotice = max(moment, earliest)
    }

    private func tellHeldNotice() {
        guard let due = heldNotice, SystemClock.monotonicNanoseconds() >= due else { return }
        heldNotice = nil
        inbox.takeNotice()
        lastNotice = SystemClock.monotonicNanoseconds()
        send(.storeChanged)
    }

    /// When the loop must wake although nothing happens.
    private var deadline: UInt64? {
        var moments = [heldNotice].compactMap { $0 }
        if let wakeAt {
            let wait = max(0, min(wakeAt - now(), 86_400_000))
            moments.append(SystemClock.monotonicNanoseconds() + UInt64(wait) * 1_000_000)
        }
        return moments.min()
    }

    func send(_ message: ConsoleMessage) {
        for effect in state.update(message) { perform(effect) }
    }
}

/// Doing what the state asks for.
extension ScreenProgram {
    private func perform(_ effect: ConsoleEffect) {
        switch effect {
        case .load(let request): dueRead = request
        case .collect(let request): collect(request)
        case .count(let request): count(request)
        case .perform(let verb, let token):
            if commands.runsHere, let asked = verb.order as? RunVerb, asked.limit == nil {
                // It runs as long as its tasks, and steps must not wait for it.
                return run("run -- \(ShellWord.quoted(asked.queue))", token, on: threads.bulks)
            }
            let watch = stops.watch(token, telling: inbox)
            let thread = isLong(verb) ? threads.bulks : threads.verbs
            answer(on: thread, { try $0.perform(verb, watch) }) { .answered(token: token, $0) }
        case .stop(let token): stops.stop(token)
        case .rehearse(let verb, let token):
            answer(on: threads.verbs, { commands in try commands.rehearse(verb) }) {
                .rehearsed(token: token, $0)
            }
        case .step(let request, let token):
            answer(on: threads.steps, { commands in try commands.step(request) }) {
                .stepped(token: token, $0)
            }
        case .command(let line, let token): run(line, token)
        case .open(let name, let token): open(name, token)
        case .wakeAt(let moment): wakeAt = moment
        case .copy(let text): send(.copied(terminal.copyToClipboard(text)))
        case .report(let ids): readReport(ids)
        case .screenshot(let path, let view): send(.drawn(drawScreen(view, into: path)))
        case .record(let line):
            commands.record(line) { [inbox] in inbox.put(.message(.recorded($0))) }
        case .endRecording: commands.endRecording()
        case .keepColumns(let columns):
            send(.kept(Result { () throws(QueueError) in try keep.columns(columns) }))
        case .keepPanes(let areShown):
            do { try keep.panes(areShown) } catch { send(.kept(.failure(error))) }
        case .readPayload(let id, let request): readPayload(of: id, request)
        case .runOwn(let launch): run(launch)
        case .edit(let target): beginEdit(target)
        case .endEdit: endEdit()
        case .readAlerts:
            // Ignore errors: the next read reports them.
            search { scenes, now in .alerts(try? scenes.alerts(at: now)) }
        case .notify(let text): terminal.notify(text)
        case .repaint: terminal.forgetScreen()
        case .suspend: break
        case .quit: hasQuit = true
        }
    }

    private func run(_ line: String, _ token: Int, on own: JobThread? = nil) {
        let (inbox, commands) = (inbox, commands)
        let watch = stops.watch(token, telling: inbox)
        // A typed cancel must not wait for the step that it stops.
        let thread = own ?? (ScreenCommands.isStep(line) ? threads.steps : threads.typed)
        thread.put {
            inbox.put(.message(.commanded(token: token, commands.command(line, watch))))
        }
    }

    private func open(_ name: String, _ token: Int) {
        let (inbox, source, number) = (inbox, source, successions)
        let report: @Sendable (String) -> Void = { text in
            let report = CommandReport(lines: [text], isFailure: true)
            inbox.put(.message(.commanded(token: token, report)))
        }
        do throws(SystemError) {
            // A place that never answers must not delay the next one.
            _ = try Thread(name: "sluice-opens", stackBytes: 8 << 20) {
                switch Result(outcomeOf: { try source.elsewhere(name) }) {
                case .success(let other): inbox.put(.other(other, number))
                case .failure(let error): report(error.description)
                }
            }
        } catch {
            report(error.sentence)
        }
    }

    /// Whether other verbs must not wait for this one; an undo may be of a bulk.
    private func isLong(_ verb: Verb) -> Bool {
        verb.order.takesBack || verb.targets.count > Control.slice
    }

    private func readWhatIsDue() {
        guard let request = dueRead else { return }
        dueRead = nil
        let (source, inbox, now, searches) = (source, inbox, now, threads.searches)
        let number = successions
        threads.readers.put {
            let result = Result<LoadedScene, QueueError>(outcomeOf: {
                try source.scenes.load(request, at: now(), aside: { searches.put($0) })
            })
            switch result {
            case .success(let scene):
                inbox.put(.found(.loaded(scene), number))
                // No event reports an expired edit or a dead process. If this fails, the next read
                // repeats it, or the next verb reports the error.
                if scene.hasRemains { try? source.commands.clearUp() }
            case .failure(let error):
                switch source.successor(after: error) {
                case .success(let successor): inbox.put(.successor(successor, number))
                case .failure(let error):
                    inbox.put(.found(.loadFailed(error, of: request.generation), number))
                }
            }
        }
    }

    private func readPayload(of id: TaskID, _ request: LoadRequest) {
        search { scenes, now in
            .payload(
                of: id,
                Result(outcomeOf: {
                    try scenes.load(request, at: now, aside: { $0() }).detail?.payload
                }))
        }
    }

    private func readReport(_ ids: [TaskID]) {
        let (inbox, commands) = (inbox, commands)
        threads.steps.put {
            inbox.put(.report(ids, Result(outcomeOf: { try commands.report(ids) })))
        }
    }

    private func collect(_ request: CollectRequest) {
        search { scenes, now in
            let result = Result<[TaskTarget], QueueError>(outcomeOf: {
                try scenes.collect(request, at: now)
            })
            switch result {
            case .success(let targets): return .collected(request, targets)
            case .failure(let error): return .loadFailed(error)
            }
        }
    }

    private func count(_ request: CountRequest) {
        // Ignore errors: the next read reports them.
        search { scenes, now in (try? scenes.count(request, at: now)).map { .counted($0) } }
    }

    /// Asks the shown store on the thread of searches.
    private func search(
        _ ask: @escaping @Sendable (any SceneSource, Timestamp) -> ConsoleMessage?
    ) {
        let (scenes, inbox, now, number) = (scenes, inbox, now, successions)
        threads.searches.put {
            if let answer = ask(scenes, now()) { inbox.put(.found(answer, number)) }
        }
    }

    /// Does something on a thread and puts its answer into the inbox.
    private func answer<Value: Sendable>(
        on thread: JobThread, _ operation: @escaping @Sendable (StoreCommands) throws -> Value,
        _ message: @escaping @Sendable (Result<Value, QueueError>) -> ConsoleMessage
    ) {
        let (inbox, source) = (inbox, source)
        thread.put {
            let result = Result(outcomeOf: { try operation(source.commands) })
            inbox.put(.message(message(result.mapError(source.explained))))
        }
    }
}
