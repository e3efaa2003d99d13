import SluiceRunner
import SluiceStore
import SluiceSystem
import Testing

@Suite("a worker's sign of life")
struct SignOfLifeTests {
    private static func comes(_ signal: EventSignal) throws -> Bool {
        let waits = [PollInterest(signal.descriptor.number)]
        _ = try Poll.wait(fds: waits, timeoutMilliseconds: 30_000)
        return signal.drain()
    }

    @Test("a worker that hangs gives no sign of life; one that rests gives it when it is asked")
    func hangs() throws {
        let (hung, gate, sign) = (try EventSignal(), try EventSignal(), try EventSignal())
        let runner = try Runner(
            store: MemoryStore(name: "memory", identity: "memory"), types: nil,
            handlers: { _ in nil },
            onEvent: { event in
                guard case .attached = event else { return }
                hung.signal()
                _ = try? Self.comes(gate)
            })
        try runner.start()
        #expect(try Self.comes(hung))
        runner.whenAwake { sign.signal() }
        #expect(!sign.drain())
        gate.signal()
        #expect(try Self.comes(sign))
        runner.whenAwake { sign.signal() }
        #expect(try Self.comes(sign))
        runner.stop()
        runner.wait()
    }
}
