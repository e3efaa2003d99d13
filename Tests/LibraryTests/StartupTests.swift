import Sluice
import SluiceSystem
import Testing

/// The start of an app as a queue of ranks: the smaller rank first, one at a time, each step a task
/// that knows no other.
final class Startup: Sendable {
    /// The declared order; ranks between two of them are possible.
    static let names = [
        "network", "useLocation", "checkMe", "login", "appInfo", "activeService", "optionUpdate",
        "dailyTask", "fullAdBanner",
    ]
    /// Steps from outside rank after the login.
    static let arrivalRank = 3.5

    typealias Step = @Sendable (Startup, Execution, any ExecutionReport) async throws -> Void

    let app: QueueClient
    private let order = Protected<[String]>([])
    private let steps: [String: Step]

    /// A flow of steps without effect, except the given ones.
    init(_ bench: SessionBench, _ steps: [String: Step] = [:]) throws {
        app = try bench.life()
        self.steps = steps
        try app.control.performBlocking(.setQueue("startup", [.preset("startup")]))
        let handler = AsyncHandler { [unowned self] execution, report in
            try await run(execution, report)
            return .success(result: nil)
        }
        try app.handle(type: "*", handler)
    }

    private func run(_ execution: Execution, _ report: any ExecutionReport) async throws {
        let parameter = String(decoding: execution.payload, as: UTF8.self)
        let name = execution.task.type + (parameter.isEmpty ? "" : "(\(parameter))")
        order.withLock { $0.append(name) }
        try await steps[execution.task.type]?(self, execution, report)
    }

    /// The executed steps with parameters, in order.
    var ran: [String] { order.withLock { $0 } }

    /// A step at its rank, as an enqueue asks for it: waiting, each is there once.
    static func step(
        _ name: String, rank: Double? = nil, isRequired: Bool = false
    ) -> EnqueueRequest {
        var request = EnqueueRequest(type: name)
        let place = rank ?? Double(names.firstIndex(of: name) ?? 0)
        request.priority = -Int(place * 10)
        request.isRequired = isRequired
        request.uniqueKey = name
        return request
    }

    func enqueue(_ requests: [EnqueueRequest]) async throws {
        try await app.control.perform(.enqueue(queue: "startup", requests))
    }

    /// Activates the app, which enqueues every step.
    func activate(_ names: [String] = Startup.names) async throws {
        try await enqueue(names.map { Startup.step($0) })
    }

    /// Something comes from outside, with its parameter; several may wait.
    func arrive(_ name: String, _ parameter: String) async throws {
        var request = Startup.step(name, rank: Self.arrivalRank)
        request.payload = Array(parameter.utf8)
        request.uniqueKey = nil
        try await enqueue([request])
    }

    /// Starts the flow and lets it go as far as it goes.
    func start() async throws {
        try await app.control.perform(.run(queue: "startup", limit: nil))
        try await app.drain()
    }

    /// The waiting steps, in the running order.
    func waiting() async throws -> [String] {
        try await app.store.read { store in
            try store.tasks(
                matching: TaskQuery(queue: "startup", state: .waiting, limit: 100)
            ).map(\.type)
        }
    }
}

@Suite("start-up")
struct StartupTests {
    let bench: SessionBench
    private let names = Startup.names

    init() throws { bench = try SessionBench() }

    @Test(
        "KKT-01 KKT-02 steps run by rank, however they came, and none before a start")
    func ranks() async throws {
        let flow = try Startup(bench)
        try await flow.activate([5, 0, 3, 1, 4, 2].map { names[$0] })
        try await flow.app.drain()
        #expect(flow.ran == [])
        try await flow.start()
        #expect(flow.ran == Array(names[0...5]))
    }

    @Test("KKT-03 a start with nothing in it is no error")
    func empty() async throws {
        let flow = try Startup(bench)
        try await flow.start()
        #expect(flow.ran == [])
    }

    @Test("KKT-04 an earlier rank that arrives waits for the step that runs, and is next")
    func earlierRank() async throws {
        let flow = try Startup(
            bench,
            [
                "checkMe": { flow, _, _ in
                    try await flow.enqueue([Startup.step("network")])
                }
            ])
        try await flow.activate(Array(names[2...4]))
        try await flow.start()
        #expect(flow.ran == ["checkMe", "network", "login", "appInfo"])
    }

    @Test(
        "KKT-05 KKT-06 a login goes on to the next step, or back to an earlier rank"
    )
    func goingBack() async throws {
        let authenticated = try Startup(bench)
        try await authenticated.activate()
        try await authenticated.start()
        #expect(authenticated.ran == names)
        let flow = try Startup(
            try SessionBench(),
            [
                "login": { _, execution, report in
                    let context = FollowUp(queue: "startup", type: "checkMe", priority: -20)
                    report.followUp(context)
                }
            ])
        try await flow.activate(Array(names[0...5]))
        try await flow.start()
        #expect(
            flow.ran == [
                "network", "useLocation", "checkMe", "login", "checkMe", "appInfo",
                "activeService",
            ])
    }

    @Test(
        "KKT-07 KKT-18 a required step that fails stops the flow; a later start goes on")
    func requiredFails() async throws {
        let isOpen = Protected(false)
        let flow = try Startup(
            bench,
            [
                "login": { _, _, _ in
                    if !isOpen.withLock({ $0 }) { throw HandlerError(.giveUp(error: "no network")) }
                }
            ])
        try await flow.enqueue(names.map { Startup.step($0, isRequired: $0 == "login") })
        try await flow.start()
        #expect(flow.ran == Array(names[0...3]))
        #expect(try await flow.waiting() == Array(names[4...]))
        let pauses = try await flow.app.store.read { try $0.requireQueue("startup").pauses }
        #expect(pauses.map(\.cause) == [.required])
        #expect(pauses.first?.reason?.contains("no network") == true)
        isOpen.withLock { $0 = true }
        try await flow.app.control.perform(.resume(.queue("startup")))
        try await flow.enqueue([Startup.step("login", isRequired: true)])
        try await flow.start()
        #expect(flow.ran == Array(names[0...3]) + Array(names[3...]))
    }

    @Test(
        "KKT-08 KKT-09 KKT-10 what arrives before, during or late in a flow runs after the login",
        arguments: [nil, "useLocation", "fullAdBanner"])
    func arrivals(_ during: String?) async throws {
        let push: Startup.Step = { flow, _, _ in try await flow.arrive("push", #"{"id":7}"#) }
        let flow = try Startup(bench, during.map { [$0: push] } ?? [:])
        if during == nil { try await flow.arrive("push", #"{"id":7}"#) }
        try await flow.activate()
        try await flow.start()
        let place = during == "fullAdBanner" ? 9 : 4
        #expect(flow.ran.firstIndex(of: #"push({"id":7})"#) == place)
        #expect(flow.ran.count == names.count + 1)
    }

    @Test("KKT-11 arrivals of one rank run in the order they came, each with its own parameter")
    func equalRanks() async throws {
        let flow = try Startup(bench)
        try await flow.arrive("url", "kakaot://a")
        try await flow.arrive("push", "b")
        try await flow.arrive("url", "kakaot://c")
        try await flow.activate(["login"])
        try await flow.start()
        #expect(flow.ran == ["login", "url(kakaot://a)", "push(b)", "url(kakaot://c)"])
    }

    @Test("KKT-12 what arrives while nothing runs waits for the next start, over a restart too")
    func arrivalWhenIdle() async throws {
        let flow = try Startup(bench)
        try await flow.activate(["network"])
        try await flow.start()
        try await flow.arrive("push", "b")
        try await flow.app.drain()
        #expect(flow.ran == ["network"])
        let next = try Startup(bench)
        #expect(try await next.waiting() == ["push"])
        try await next.activate(["login"])
        try await next.start()
        #expect(next.ran == ["login", "push(b)"])
    }

    @Test(
        "KKT-13 a second activation during a run doubles nothing that waits"
    )
    func secondActivation() async throws {
        let activations = Calls()
        let running = Protected((now: 0, most: 0))
        let step: Startup.Step = { flow, execution, _ in
            running.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
            if execution.task.type == "checkMe", activations.count == 0 {
                activations.add()
                try await flow.activate()
                // A start while it runs joins the flow: there is no second one.
                let joined = try await flow.app.control.openRun("startup")
                #expect(joined.summary.contains("is already open"))
            }
            running.withLock { $0.now -= 1 }
        }
        let all = Dictionary(uniqueKeysWithValues: names.map { ($0, step) })
        let flow = try Startup(bench, all)
        try await flow.activate()
        try await flow.start()
        #expect(flow.ran == Array(names[0...2]) + names)
        #expect(running.withLock { $0.most } == 1)
    }

    @Test(
        "KKT-14 KKT-15 KKT-16 a rank is taken out, put first, or last; the others stay"
    )
    func otherRanks() async throws {
        let flow = try Startup(bench)
        try await flow.enqueue([Startup.step("banner", rank: 99)])
        try await flow.activate(names.filter { $0 != "useLocation" })
        try await flow.enqueue([Startup.step("permissions", rank: -1)])
        try await flow.start()
        let expected = ["permissions"] + names.filter { $0 != "useLocation" } + ["banner"]
        #expect(flow.ran == expected)
    }

    @Test("KKT-17 an optional step that fails is passed over")
    func optionalFails() async throws {
        let flow = try Startup(
            bench,
            [
                "optionUpdate": { _, _, _ in
                    throw HandlerError(.retry(afterMilliseconds: nil, error: "no"))
                }
            ])
        try await flow.activate()
        try await flow.start()
        #expect(flow.ran == names)
    }

    @Test("KKT-19 a step that says twice that it is done advances the flow once")
    func doneTwice() async throws {
        let flow = try Startup(
            bench,
            [
                "login": { _, _, report in
                    report.finish(.success(result: nil))
                    report.finish(.success(result: nil))
                }
            ])
        try await flow.activate()
        try await flow.start()
        #expect(flow.ran == names)
    }

    @Test("KKT-21 an endless going back ends at the depth that its queue allows")
    func endless() async throws {
        // The test ends the recursion if no depth limit does.
        let back: Startup.Step = { flow, execution, report in
            guard flow.ran.count < 40 else { return }
            let isLogin = execution.task.type == "login"
            report.followUp(
                FollowUp(
                    queue: "startup", type: isLogin ? "checkMe" : "login",
                    priority: isLogin ? -20 : -30))
        }
        let flow = try Startup(bench, ["checkMe": back, "login": back])
        try await flow.app.control.perform(.setQueue("startup", [.maximumDepth(10)]))
        try await flow.activate(["checkMe", "appInfo"])
        try await flow.start()
        #expect(flow.ran.count == 12)
        #expect(flow.ran.last == "appInfo")
        let failed = try await flow.app.store.read { store in
            try store.tasks(matching: TaskQuery(queue: "startup", state: .failed, limit: 9))
        }
        #expect(failed.map(\.depth) == [10])
    }
}
