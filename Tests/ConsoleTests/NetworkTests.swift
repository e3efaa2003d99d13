import SluiceControl
import SluiceModel
import SluiceStore
import SluiceTerminalUI
import Testing

@testable import SluiceConsole

@Suite("the network on the screen")
struct NetworkTests {
    private func bench(size: Size = Size(width: 118, height: 32)) throws -> Bench {
        Bench(store: try LivingScene.store(), size: size, now: LivingScene.now)
    }

    private func set(_ network: NetworkState, of runner: ProcessID, _ bench: Bench) throws {
        try bench.change { store in
            try store.transact(at: LivingScene.now) { try $0.setNetwork(network, of: runner) }
        }
    }

    @Test("B6 the top line says what the workers measured, as long as it is not as usual")
    func measured() throws {
        let bench = try bench()
        #expect(!bench.lines[0].contains("network"))
        try set(.noRoute, of: 1, bench)
        #expect(bench.lines[0].contains("network off for 1 of 2 workers"))
        try set(.noAnswer, of: 2, bench)
        #expect(bench.lines[0].contains("network off (measured)"))
        bench.press("6")
        #expect(bench.lines.contains { $0.contains("4710") && $0.contains("no route") })
        #expect(bench.lines.contains { $0.contains("4711") && $0.contains("no answer") })
        for runner in 1...2 as ClosedRange<ProcessID> { try set(.online, of: runner, bench) }
        #expect(!bench.lines[0].contains("network"))
    }

    @Test("B6 what a person forced stands in the top line instead, and the action goes round")
    func forced() throws {
        let bench = try bench()
        try set(.noRoute, of: 1, bench)
        for expected in ["network off (forced)", "network on (forced)", "network off for 1 of 2"] {
            bench.choose(.network)
            #expect(bench.lines[0].contains(expected))
        }
    }

    @Test("A3 a handler's word ends on the screen when its time is over")
    func handler() throws {
        let bench = try bench()
        try bench.change { store in
            for var process in try store.processes() {
                process.offlineUntil = LivingScene.now + 30_000
                try store.put(process)
            }
        }
        #expect(bench.lines[0].contains("network off (measured)"))
        bench.wait(milliseconds: 30_000)
        #expect(!bench.lines[0].contains("network"))
    }
}
