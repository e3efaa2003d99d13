import SluiceModel
import SluiceStore
import Testing

@testable import SluiceCommand

@Suite("seeds of the demonstration")
struct DemoSeedTests {
    @Test("each seed makes a scene with five queues", arguments: UInt64(1)...40)
    func builds(seed: UInt64) throws {
        let store = MemoryStore(name: "demo")
        try store.writeBlocking { writer in
            try DemoScene.build(
                in: writer, seed: seed, now: Timestamp(milliseconds: 1_769_868_202_000))
        }
        #expect(try store.readBlocking { try $0.queues().count } == 5)
    }
}
