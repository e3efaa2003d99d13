import SluiceControl
import SluiceModel
import SluiceStore
import SluiceTerminalUI
import Testing

@testable import SluiceConsole

@Suite("Several places in one console")
struct FleetTests {
    private static let names = [
        "/srv/shop/app.db", "redis://prod-7/0", "/srv/mail/app.db", "postgres://db/app",
    ]

    /// A place as the living scene has it, one that is away, one in its first seconds, and one that
    /// does not answer.
    private static func fleet() throws -> FleetReading {
        let store = try LivingScene.store()
        var request = LoadRequest()
        request.view = .fleet
        let wanted = request
        let scene = try store.readBlocking {
            try SceneLoader(Reading($0, now: LivingScene.now)).load(wanted)
        }
        var places = names.map { FleetPlace(name: $0, since: LivingScene.ago(1)) }
        places[0].kind = "sqlite"
        places[0].summary = FleetPlace.Summary(scene)
        places[0].state = .here
        places[1].kind = "celery"
        places[1].summary = FleetPlace.Summary(scene)
        places[1].state = .away(
            QueueError(
                .serverGone, "redis://prod-7/0: cannot connect to prod-7: nothing answers there",
                fix: "check the server and try again"),
            since: LivingScene.ago(125), next: LivingScene.now + 4000)
        places[3].state = .asked(since: LivingScene.ago(12))
        return FleetReading(places: places)
    }

    private static func console(
        _ size: Size, fleet: FleetReading? = nil, glyphs: GlyphSet = .unicode
    ) throws -> ConsoleState {
        var settings = ConsoleSettings(
            storeName: FleetReading.name, storeKind: FleetReading.name)
        settings.fleet = names
        settings.recentStores = names
        settings.glyphs = glyphs
        var state = ConsoleState(settings: settings, size: size, now: LivingScene.now)
        try answer(&state, fleet ?? Self.fleet())
        return state
    }

    private static func answer(
        _ state: inout ConsoleState, _ fleet: FleetReading, _ message: ConsoleMessage? = nil
    ) throws {
        let first = message.map { state.update($0) } ?? []
        var effects = first + state.update(.tick(LivingScene.now)) + state.update(.storeChanged)
        // A change during a load asks for another one.
        for _ in 0..<4 {
            effects = effects.flatMap { effect -> [ConsoleEffect] in
                guard case .load(let request) = effect else { return [] }
                let scene = LoadedScene(fleet: fleet, answering: request, at: LivingScene.now)
                return state.update(.loaded(scene))
            }
        }
    }

    /// Presses keys. Returns the effects.
    @discardableResult private static func press(
        _ keys: String, _ state: inout ConsoleState
    ) -> [ConsoleEffect] {
        keys.split(separator: " ").compactMap { Key(name: String($0)) }.flatMap {
            state.update(.input(.key($0)))
        }
    }

    private static func opened(_ effects: [ConsoleEffect]) -> [String] {
        effects.compactMap { if case .open(let name, _) = $0 { name } else { nil } }
    }

    private static let home = ConsoleMessage.opened(
        name: FleetReading.name, kind: FleetReading.name, isReadOnly: false)

    @Test(
        "K5 the picture of the places at each size",
        arguments: [
            ("fleet-120x36", 120, 36, GlyphSet.unicode), ("fleet-80x24", 80, 24, .unicode),
            ("fleet-40x12", 40, 12, .unicode), ("fleet-40x10", 40, 10, .unicode),
            ("fleet-ascii-80x24", 80, 24, .ascii),
        ])
    func picture(_ name: String, _ width: Int, _ height: Int, _ glyphs: GlyphSet) throws {
        let state = try Self.console(Size(width: width, height: height), glyphs: glyphs)
        try Pictures.check(name, state.view(state.size))
    }

    @Test("a reason has the rest of its line")
    func reasons() throws {
        let state = try Self.console(Size(width: 120, height: 36))
        let row = try #require(state.view(state.size).lines.first { $0.contains("away for") })
        #expect(row.contains("nothing answers there; asked again in 4s"), "\(row)")
    }

    @Test("Enter on a queue opens its place with it, a digit with its view, and 0 goes back")
    func entering() throws {
        let size = Size(width: 120, height: 36)
        var state = try Self.console(size)
        // Below the row for all and the one condition.
        #expect(Self.opened(Self.press("j j 5", &state)) == [Self.names[0]])
        let row = try #require(state.fleetRow)
        _ = state.update(.opened(name: Self.names[0], kind: "sqlite", isReadOnly: false))
        #expect(row.place == Self.names[0] && state.view == .failures)
        #expect(state.message?.text == "\(Self.names[0]) is open; 0 goes back to all places")
        #expect(Self.opened(Self.press("0", &state)) == [FleetReading.name])
        try Self.answer(&state, Self.fleet(), Self.home)
        #expect(state.view == .fleet)
        Self.press("j j", &state)
        guard case .queue(_, let line, _)? = state.fleetRow else {
            Issue.record("no queue at the cursor")
            return
        }
        #expect(Self.opened(Self.press("Enter", &state)) == [Self.names[0]])
        _ = state.update(.opened(name: Self.names[0], kind: "sqlite", isReadOnly: false))
        #expect(state.selectedQueue == line.name && state.view == .inventory)
        Self.press("0", &state)
        try Self.answer(&state, Self.fleet(), Self.home)
        #expect(state.fleetRow?.key == .place(Self.names[0], queue: line.name))
    }

    @Test("a place that is away, silent or new is not entered, and the reason is said")
    func troubled() throws {
        var state = try Self.console(Size(width: 120, height: 36))
        var reasons: Set<String> = []
        for _ in state.scene?.fleet?.rows ?? [] {
            if let place = state.fleetRow?.place, place != Self.names[0] {
                #expect(Self.opened(Self.press("Enter", &state)) == [])
                reasons.insert(state.message?.text ?? "")
            }
            Self.press("j", &state)
        }
        #expect(
            reasons == [
                "redis://prod-7/0: cannot connect to prod-7: nothing answers there; "
                    + "asked again in 4s",
                "/srv/mail/app.db: it is being opened", "postgres://db/app: no answer for 12s",
            ])
    }

    @Test("an action on a task or queue names the key that goes into the place")
    func refused() throws {
        var state = try Self.console(Size(width: 120, height: 36))
        Self.press("j", &state)
        for key in ["s", "p", "d", "w", "W", "/", "z", "i", "e"] {
            #expect(Self.press(key, &state).isEmpty, "\(key)")
            #expect(
                state.message?.text
                    == "that is for one place: Enter goes into the place at the cursor", "\(key)")
        }
    }

    @Test("a place with many queues shows the ones in trouble, and counts the others")
    func manyQueues() throws {
        let store = MemoryStore()
        try store.writeBlocking { store in
            for number in 0..<40 {
                try store.put(
                    QueueRecord(name: "q\(number)", createdAt: LivingScene.now))
            }
            _ = try store.reserveTaskIDs(1)
            var task = LivingScene.task(1, "q39", "send", 60)
            task.state = .failed(
                Failure(at: LivingScene.ago(5), reason: "boom", startPolicy: nil))
            try store.insert([NewTask(task: task, payload: [])])
        }
        var request = LoadRequest()
        request.queues.height = 67
        let wanted = request
        let scene = try store.readBlocking {
            try SceneLoader(Reading($0, now: LivingScene.now)).load(wanted)
        }
        var place = FleetPlace(name: "many.db", since: LivingScene.now)
        (place.summary, place.state) = (FleetPlace.Summary(scene), .here)
        let rows = FleetReading(places: [place]).rows
        #expect(rows.count == 23)
        #expect(rows[0].key == .allPlaces)
        #expect(rows[2].key == .place("many.db", queue: "q39"))
        #expect(rows.last == .rest(place: "many.db", count: 20))
    }

    @Test("paths are as short as they differ, and addresses stay whole")
    func shortNames() {
        let all = Self.names + ["/phone/site-a/queue", "/phone/site-b/queue"]
        #expect(
            all.map { PlaceName.short($0, among: all) } == [
                "shop/app.db", "redis://prod-7/0", "mail/app.db", "postgres://db/app",
                "site-a/queue", "site-b/queue",
            ])
        #expect(PlaceName.short("/a/app.db", among: []) == "app.db")
    }

    /// A console in a place, with the others as the fleet has them.
    private static func enter(
        _ place: Int, _ size: Size, glyphs: GlyphSet = .unicode, fleet: FleetReading? = nil
    ) throws -> ConsoleState {
        var state = try console(size, glyphs: glyphs)
        try arrive(&state, at: place, in: fleet ?? Self.fleet())
        return state
    }

    private static func arrive(
        _ state: inout ConsoleState, at place: Int, in fleet: FleetReading
    ) throws {
        let message = ConsoleMessage.opened(
            name: names[place], kind: "sqlite", isReadOnly: false)
        var fleet = fleet
        fleet.shown = place
        let store = try LivingScene.store()
        for case .load(let request) in state.update(message) {
            var scene = try store.readBlocking {
                try SceneLoader(Reading($0, now: LivingScene.now)).load(request)
            }
            if request.withNeighbours { scene.fleet = fleet }
            _ = state.update(.loaded(scene))
        }
    }

    /// The first two places and the last one answer.
    private static func answering() throws -> FleetReading {
        var fleet = try fleet()
        fleet.places[3].kind = "oban"
        fleet.places[3].summary = fleet.places[0].summary
        for place in [1, 3] { fleet.places[place].state = .here }
        return fleet
    }

    @Test(
        "K5 the pane of queues has a heading for each place on a wide screen",
        arguments: [
            ("fleet-pane-120x36", 0, 120, 36, GlyphSet.unicode),
            ("fleet-pane-160x48", 1, 160, 48, .unicode),
            ("fleet-pane-ascii-110x24", 3, 110, 24, .ascii),
        ])
    func pane(
        _ name: String, _ place: Int, _ width: Int, _ height: Int, _ glyphs: GlyphSet
    ) throws {
        let size = Size(width: width, height: height)
        let state = try Self.enter(place, size, glyphs: glyphs)
        try Pictures.check(name, state.view(size))
    }

    @Test(
        "a narrow screen has the row for all places and the place alone, and asks no other one",
        arguments: [109, 79])
    func narrowPane(width: Int) throws {
        let size = Size(width: width, height: 36)
        var state = try Self.enter(0, size)
        Self.press("h", &state)
        let pane = try #require(state.layout.fleetPane)
        #expect(state.scene?.fleet == nil && pane.above == [.all(nil)] && pane.below.isEmpty)
        let lines = state.view(size).lines
        let all = try #require(lines.firstIndex { $0.contains("∗ all") })
        #expect(lines[all + 1].hasPrefix(" shop/app.db  sqlite"), "\(lines[all + 1])")
        // The heading is of all queues of the place, the row above it of all places.
        #expect(Self.opened(Self.press("g k", &state)) == [FleetReading.name])
        try Self.answer(&state, Self.fleet(), Self.home)
        #expect(state.fleetRow?.key == .allPlaces)
    }

    @Test("the row for all places is chosen at the beginning, with the sums of what answered")
    func all() throws {
        let size = Size(width: 80, height: 24)
        var state = try Self.console(size)
        #expect(state.fleetRow?.key == .allPlaces)
        let lines = state.view(size).lines
        // Numbers of a place that is away are not of now, and two places never answered.
        #expect(lines[0].contains("4 places · 10+ queues · ~58+ tasks · 2 away"), "\(lines[0])")
        let row = try #require(lines.first { $0.contains("∗  all") })
        #expect(row.contains("4 places · 10+ qu…  ") && row.contains("~52+"), "\(row)")
        let alert = try #require(lines.first { $0.contains("uploads is stuck") })
        #expect(alert.hasPrefix(" !  shop/app.db"), "\(alert)")
        #expect(lines.contains { $0.contains("away: redis://prod-7/0 · postgres://db/app") })
        Self.press("5", &state)
        #expect(state.message?.text == "that is for one place: j goes down to the places")
        Self.press("Enter", &state)
        #expect(state.message?.text == "these are all conditions")
        #expect(Self.opened(Self.press("j Enter", &state)) == [Self.names[0]])
        _ = state.update(.opened(name: Self.names[0], kind: "sqlite", isReadOnly: false))
        #expect(state.selectedQueue == "uploads")
    }

    @Test("Enter on the row for all places shows more conditions than three, and fewer")
    func manyAlerts() throws {
        var fleet = try Self.answering()
        fleet.places = (0..<5).map { number in
            var place = fleet.places[0]
            place.name = "/srv/\(number)/app.db"
            return place
        }
        let size = Size(width: 80, height: 24)
        var state = try Self.console(size, fleet: fleet)
        func alerts() -> Int {
            state.view(size).lines.count { $0.contains("uploads is stuck") }
        }
        #expect(alerts() == 2 && state.view(size).lines.contains { $0.contains("3 more") })
        #expect(state.view(size).lines.last?.contains("all conditions") == true)
        try Self.answer(&state, fleet, .input(.key(.enter)))
        #expect(alerts() == 5)
        #expect(state.view(size).lines.last?.contains("fewer conditions") == true)
        try Self.answer(&state, fleet, .input(.key(.enter)))
        #expect(alerts() == 2 && state.fleetRow?.key == .allPlaces)
    }

    @Test("places that all answer have exact sums, and estimates are marked")
    func sums() throws {
        let fleet = try Self.answering()
        let known = fleet.places.filter { $0.summary != nil }
        var totals = FleetTotals(known)
        #expect(totals.queueCount == 15 && totals.taskCount == 87)
        #expect(!totals.isAbout && !totals.isBounded && !totals.isPartial)
        #expect(FleetTotals(fleet.places).isPartial)
        var place = known[0]
        place.summary?.isEstimated = true
        totals = FleetTotals([place, known[1]])
        #expect(totals.isAbout && !totals.isPartial)
    }

    @Test("in the pane the step up from the first place goes to all places, as a click does")
    func toAll() throws {
        let size = Size(width: 120, height: 36)
        var state = try Self.enter(0, size, fleet: Self.answering())
        let lines = state.view(size).lines
        let row = try #require(lines.firstIndex { $0.contains("∗ all") })
        #expect(lines[row + 1].hasPrefix(" shop/app.db"))
        #expect(lines[row].contains("4 places"), "\(lines[row])")
        let click = Mouse(.press(.left), at: Point(x: 5, y: row))
        #expect(Self.opened(state.update(.input(.mouse(click)))) == [FleetReading.name])
        state = try Self.enter(0, size, fleet: Self.answering())
        #expect(Self.opened(Self.press("h g k k", &state)) == [FleetReading.name])
        try Self.answer(&state, Self.fleet(), Self.home)
        #expect(state.view == .fleet && state.fleetRow?.key == .allPlaces)
        #expect(state.message == nil)
    }

    @Test("in the pane the cursor goes from place to place, past one that does not answer")
    func throughPlaces() throws {
        let fleet = try Self.answering()
        var state = try Self.enter(0, Size(width: 120, height: 36), fleet: fleet)
        Self.press("3 h", &state)
        // The last queue, and two keys before the next place is there.
        #expect(Self.opened(Self.press("G j j", &state)) == [Self.names[1]])
        try Self.arrive(&state, at: 1, in: fleet)
        #expect(state.focus == .queues && state.isAll && state.view == .timers)
        #expect(state.message == nil)
        #expect(Self.opened(Self.press("G j", &state)) == [Self.names[3]])
        try Self.arrive(&state, at: 3, in: fleet)
        #expect(Self.opened(Self.press("G j", &state)) == [])
        #expect(Self.opened(Self.press("g k", &state)) == [Self.names[1]])
        try Self.arrive(&state, at: 1, in: fleet)
        let last = fleet.places[1].summary?.queues.last?.name
        #expect(state.selectedQueue == last && !state.isAll && state.focus == .queues)
    }

    @Test("a click on a queue of another place opens it there, and a silent place says why not")
    func clicks() throws {
        let size = Size(width: 120, height: 36)
        let fleet = try Self.answering()
        var state = try Self.enter(0, size, fleet: fleet)
        let lines = state.view(size).lines
        func click(_ text: String, after heading: String) throws -> [ConsoleEffect] {
            let first = try #require(lines.firstIndex { $0.contains(heading) })
            let row = try #require(lines[first...].firstIndex { $0.contains(text) })
            return state.update(
                .input(.mouse(Mouse(.press(.left), at: Point(x: 5, y: row)))))
        }
        #expect(Self.opened(try click("mail/app.db", after: "mail/app.db")) == [])
        #expect(state.message?.text == "/srv/mail/app.db: it is being opened")
        #expect(Self.opened(try click(" jobs", after: "postgres://")) == [Self.names[3]])
        try Self.arrive(&state, at: 3, in: fleet)
        #expect(state.selectedQueue == "jobs" && !state.isAll)
    }

    @Test("many queues leave each place its heading", arguments: [24, 30, 60])
    func crowdedPane(height: Int) throws {
        var fleet = try Self.answering()
        for _ in 0..<6 { fleet.places += fleet.places.prefix(1) }
        let state = try Self.enter(0, Size(width: 120, height: height), fleet: fleet)
        let pane = try #require(state.layout.fleetPane)
        let layout = state.layout
        let rows = pane.above.count + 1 + pane.height + pane.below.count
        #expect(layout.queuePaneY + rows <= layout.left.maxY)
        let places = pane.below.count { if case .place = $0 { true } else { false } }
        #expect(places == 9, "\(pane.below.count)")
    }

    @Test("0 in a console of one place says how to open several")
    func one() throws {
        let bench = Bench(store: MemoryStore(), now: LivingScene.now)
        bench.press("0")
        #expect(bench.message.contains("one place is open; sluice PLACE PLACE… opens several"))
    }
}
