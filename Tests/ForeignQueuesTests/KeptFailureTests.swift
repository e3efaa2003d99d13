import SluiceControl
import SluiceModel
import SluiceStore
import SluiceSystem
import SluiceTestSupport
import Testing

@testable import SluiceForeignQueues

/// Failures that a system keeps itself, without a list of them.
@Suite("failures that other systems keep", .enabled(if: RedisServer.isInstalled), .serialized)
struct KeptFailureTests {
    @Test(
        "a failed task is counted, listed and shown with its error",
        arguments: [
            ("saq", "mail", "saq:job:mail:bad", "send", "ValueError: no such order"),
            ("arq", "mail", "bad", "send", "ValueError: no such order"),
            ("huey", "ship", "bad", "?", "no such order: 1"),
        ])
    func failed(
        system: String, queue: String, reference: String, type: String, error: String
    ) throws {
        let fixture = try Fixture(system, system == "huey" ? "ended" : "failed")
        let store = try ForeignStore.open(
            fixture.server.address(), as: nil, keepers: KeeperLauncher { _, _ in })
        #expect(store.systems.map(\.name) == [system])
        let found = try #require(try store.queues().first { $0.name == queue })
        #expect(found.failed == 1 && found.isExact(.failed))
        let one = store.systems[0]
        let page = try one.page(ForeignQuery(queue: queue, state: .failed)).tasks
        #expect(page.map(\.reference) == [reference] && page.map(\.type) == [type])
        #expect(page.first?.error?.contains(error) == true)
        // Without a wanted state a page has the failures too.
        #expect(try one.page(ForeignQuery(queue: queue)).tasks == page)
        let detail = try store.find(reference).1
        #expect(detail.task == page.first)
        #expect(try one.details(of: page).map { $0?.task } == page)
        for verb in [ForeignVerb.skip, .delete, .retry] {
            #expect(one.rules.refusal(of: verb, on: .failed) != nil, "\(verb)")
        }
        // The view of failures and `expect` read a copy.
        let replica = ForeignReplica(name: "here")
        try replica.update(from: store, at: Timestamp(milliseconds: 1_800_000_000_000))
        let failures = try replica.store.readBlocking {
            try Reading($0, now: .unknown).failures(of: nil)
        }
        #expect(failures.map(\.total) == [1])
    }

    @Test("what ended well is counted where a system keeps it", arguments: ["saq", "arq"])
    func succeeded(system: String) throws {
        let fixture = try Fixture(system, "failed")
        let store = try ForeignStore.open(
            fixture.server.address(), as: system, keepers: KeeperLauncher { _, _ in })
        #expect(try store.queues().map(\.succeeded) == [1])
        let page = try store.systems[0].page(ForeignQuery(queue: "mail", state: .succeeded))
        #expect(page.tasks.map { $0.reference.suffix(4) } == ["good"])
        #expect(page.tasks.allSatisfy { $0.error == nil && $0.endedAt != nil })
        #expect(try store.systems[0].page(ForeignQuery(queue: "mail", state: .waiting)).tasks == [])
    }

    @Test("a task of huey that comes again after its failure has not failed")
    func retried() throws {
        let fixture = try Fixture("huey", "retried")
        let system = try fixture.system(HueySystem.self)
        #expect(try system.queues().map(\.failed) == [0])
        #expect(try system.shown("ship", .failed) == [])
        #expect(try system.shown("ship", .waiting) == ["again delayed"])
    }

    @Test("a task that huey's file keeps as failed is shown with its error")
    func file() throws {
        let folder = try Files.makeTemporaryDirectory(prefix: "sluice-huey")
        defer { try? Files.removeTree(folder) }
        let system = HueyFile(try Fixture.hueyFile(in: folder, "huey-sqlite-ended.sql"))
        #expect(try system.queues().map(\.failed) == [1])
        let page = try system.page(ForeignQuery(queue: "ship", state: .failed)).tasks
        #expect(page.map(\.reference) == ["bad"])
        #expect(page.first?.error == "ValueError('no such order: 1')")
        #expect(try system.page(ForeignQuery(queue: "ship")).tasks == page)
        #expect(try system.detail("bad")?.task == page.first)
        #expect(try system.detail("good") == nil)
    }
}
