import SluiceModel
import SluiceStore
import Testing

@testable import SluiceCommand

/// The network commands: the forced state, and the measurements of each runner.
@Suite("Network commands")
struct NetworkCommandTests {
    private let bench = Bench()

    private func attach(_ state: NetworkState?, offlineUntil: Timestamp? = nil) throws {
        try bench.store.writeBlocking { store in
            var process = ProcessRecord(
                id: 0, role: .runner, host: "h", bootID: "b", pid: 7, lockName: "l",
                attachedAt: Bench.start)
            process.network = state
            process.offlineUntil = offlineUntil
            let wanted = process
            _ = try store.transact(at: Bench.start) { try $0.attach(wanted) }
        }
    }

    @Test("B6 network says what was forced and what each worker measured, and why it is offline")
    func measured() throws {
        for state in [nil, .online, .noRoute, .noAnswer] as [NetworkState?] { try attach(state) }
        try attach(.online, offlineUntil: Bench.start + 30_000)
        let answer = bench("network --json").json
        #expect(answer["forced"] == .null)
        let runners = answer["runners"]?.array ?? []
        #expect(runners.map { $0["measured"] } == [.null, "on", "off", "off", "off"])
        #expect(runners.map { $0["cause"] } == [.null, .null, "noRoute", "noAnswer", "handler"])
        #expect(runners.last?["until"] == "2027-01-15T08:00:30.000Z")
        #expect(runners.first?.object?.keys == ["id", "host", "pid", "measured", "cause", "until"])
        let text = bench("network").output
        #expect(text.contains("off: no route leads into the world"))
        #expect(text.contains("not measured") && text.contains("WORKER"))
    }

    @Test("B6 what was forced is said until it is measured again, and workers keep what they found")
    func forced() throws {
        try attach(.noRoute)
        #expect(bench("network on").exit == .done)
        #expect(bench("network --json").json["forced"] == "on")
        #expect(bench("network --json").json["runners"]?[0]?["measured"] == "off")
        #expect(bench("network").output.hasPrefix("the network is forced on"))
        let forced = bench("runners --json").json["runners"]?[0]
        #expect(forced?["network"] == "on (forced)")
        #expect(bench("network measured").exit == .done)
        let runner = bench("runners --json").json["runners"]?[0]
        #expect(runner?["network"] == "off" && runner?["networkCause"] == "noRoute")
        #expect(bench("runners").output.contains("off (no route)"))
        #expect(bench("network --read-only").output.hasPrefix("the network is not forced"))
        #expect(bench("network off --read-only --json").errorCode == "readOnly")
    }

    @Test("B6 why names the worker that is offline and the command that helps")
    func why() throws {
        _ = bench("enqueue q t --requires network")
        try attach(.noRoute)
        let blocker = bench("why 1 --json").json["blockers"]?[0]
        #expect(blocker?["kind"] == "requirement" && blocker?["cause"] == "network")
        #expect(blocker?["fix"] == "sluice network on")
        let text = blocker?["text"]?.string ?? ""
        #expect(text.hasPrefix("it needs the network, and worker "))
        #expect(text.hasSuffix("is offline: no route leads into the world"))
    }
}
