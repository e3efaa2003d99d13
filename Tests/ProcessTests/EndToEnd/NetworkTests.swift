import SluiceModel
import SluiceSystem
import SluiceTestSupport
import Testing

/// A worker in a separate network. The test removes and restores its links and routes.
private final class Island {
    let place: Workplace
    let worker: RunningProgram

    /// Whether this machine lets us make one: user and network namespaces, `ip`, `nsenter`.
    static let isPossible: Bool = {
        guard let place = try? Workplace(),
            let tried = try? place.start("unshare", ["-rn", "sh", "-c", build]),
            let answer = try? tried.answer(withinSeconds: 20)
        else { return false }
        return answer.code == 0 && Files.exists("/usr/bin/nsenter")
    }()

    /// A link with a route into the world, and the other end of its cable.
    private static let build = """
        ip link set lo up && ip link add wire type veth peer name far && ip link set far up \
        && ip address add 10.9.9.2/24 dev wire && ip link set wire up
        """

    init(routes: String, words: [String] = []) throws {
        place = try Workplace.withStore()
        try place.write(#"{"handlers":{"*":{"simulate":{}}}}"#, to: "handlers.json")
        let script = "\(Self.build) && \(routes) && exec \"$SLUICE_PROGRAM\" \"$@\""
        worker = try place.start(
            "unshare",
            ["-rn", "sh", "-c", script, "sh", "work", "--handlers", "handlers.json"] + words)
        let place = place
        try place.wait(for: "the worker") { try place.measured != nil }
    }

    /// Does something to the network that the worker is in.
    func ip(_ words: String) throws {
        let enter = ["-t", "\(worker.processID)", "-U", "-n", "--preserve-credentials", "ip"]
        let changing = try place.start(
            "nsenter", enter + words.split(separator: " ").map(String.init))
        try place.expecting(0, changing.answer())
    }

    /// Waits until the worker has measured that.
    func wait(for state: String, _ cause: String? = nil) throws {
        let place = place
        try place.wait(for: "the network \(state)") {
            let line = try place.json(["network"])["runners"]?[0]
            return line?["measured"]?.string == state && line?["cause"]?.string == cause
        }
    }

    /// Enqueues one that needs the network and waits for it to come to its end.
    func runs() throws {
        try place.json(["enqueue", "q", "t", "--requires", "network"])
        try waitForEnd()
    }

    func waitForEnd() throws {
        let place = place
        try place.wait(for: "the end") {
            let (waiting, running) = (
                try place.count("q", "waiting"), try place.count("q", "running")
            )
            return waiting == 0 && running == 0
        }
    }
}

extension Workplace {
    /// The worker's measured network state; `nil` without one.
    fileprivate var measured: String? {
        get throws { try json(["network"])["runners"]?[0]?["measured"]?.string }
    }
}

@Suite("end to end: the network", .serialized)
struct NetworkTests {
    private static let route = "ip route add default via 10.9.9.1"

    @Test(
        "B6 IDJ-14 a worker hears of links and routes as they go and come, and runs what waited",
        .enabled(if: Island.isPossible, "needs user and network namespaces, ip and nsenter"))
    func routes() async throws {
        try await Workplace.onOwnThread {
            let island = try Island(routes: "true")
            try island.wait(for: "off", "noRoute")
            let place = island.place
            try place.json(["enqueue", "q", "t", "--requires", "network"])
            try place.json(["enqueue", "q", "t"])
            try place.wait(for: "the second") { try place.count("q", "waiting") == 1 }
            let blocker = try place.json(["why", "1"])["blockers"]?[0]
            #expect(blocker?["kind"] == "requirement")
            #expect(blocker?["text"]?.string?.hasSuffix("no route leads into the world") == true)
            // The route alone wakes the task, without a change of the store.
            try island.ip("route add default via 10.9.9.1")
            try island.waitForEnd()
            try island.wait(for: "on")
            for (gone, back) in [
                ("link set far down", "link set far up"),
                ("link set wire down", "link set wire up"),
                ("address del 10.9.9.2/24 dev wire", "address add 10.9.9.2/24 dev wire"),
                ("route del default", "route add 0.0.0.0/1 via 10.9.9.1"),
            ] {
                try island.ip(gone)
                try island.wait(for: "off", "noRoute")
                try island.ip(back)
                // IPv4 routes went with their link or address, and come back by hand.
                if gone.contains("wire") { try island.ip("route add default via 10.9.9.1") }
                if back.hasPrefix("route") { try island.ip("route add 128.0.0.0/1 via 10.9.9.1") }
                try island.wait(for: "on")
                try island.runs()
            }
            try island.worker.signal(.terminate)
            #expect(try island.worker.answer().code == 0)
        }
    }

    @Test(
        "B6 what was forced wins over what was measured, and a worker that is idle is never woken",
        .enabled(if: Island.isPossible, "needs user and network namespaces, ip and nsenter"))
    func forced() async throws {
        try await Workplace.onOwnThread {
            let island = try Island(routes: "true")
            let place = island.place
            try place.json(["network", "on"])
            try island.runs()
            try place.json(["network", "off"])
            try island.ip("route add default via 10.9.9.1")
            try island.wait(for: "on")
            try place.json(["enqueue", "q", "t", "--requires", "network"])
            #expect(try place.json(["why", "2"])["blockers"]?[0]?["kind"] == "requirement")
            try place.json(["network", "measured"])
            try island.waitForEnd()
            var before = try ProcessUse(of: island.worker.processID)
            var rested: ProcessUse
            repeat {
                rested = before
                Workplace.rest(seconds: 1)
                before = try ProcessUse(of: island.worker.processID)
            } while rested != before
            Workplace.rest(seconds: Soak.count(2, soak: 30))
            let after = try ProcessUse(of: island.worker.processID)
            #expect(after.wakes == before.wakes && after.ticks == before.ticks)
        }
    }

    @Test("B6 a probe address that answers is a network, and one that does not is none")
    func probe() async throws {
        try await Workplace.onOwnThread {
            let server = try ScriptedServer { _ in }
            let place = try Workplace.withStore()
            try place.write(#"{"handlers":{"*":{"simulate":{}}}}"#, to: "handlers.json")
            func worker(_ port: UInt16) throws -> RunningProgram {
                try place.start(
                    ["work", "--handlers", "handlers.json", "--probe", "127.0.0.1:\(port)"])
            }
            guard Network.hasRoute else { return }
            let lucky = try worker(server.port)
            try place.wait(for: "the answer") { try place.measured == "on" }
            try place.json(["enqueue", "q", "t", "--requires", "network"])
            try place.wait(for: "the end") { try place.count("q", "waiting") == 0 }
            try lucky.signal(.terminate)
            #expect(try lucky.answer().code == 0)
            // No process listens on that loopback port.
            let unlucky = try worker(1)
            try place.wait(for: "no answer") {
                try place.json(["network"])["runners"]?[0]?["cause"]?.string == "noAnswer"
            }
            try unlucky.signal(.terminate)
            #expect(try unlucky.answer().code == 0)
        }
    }
}
