import SluiceControl
import SluiceModel
import SluiceStore
import SluiceTerminalUI
import Testing

@testable import SluiceConsole

@Suite("protected stores on the screen")
struct ProtectionTests {
    private static let start = Timestamp(milliseconds: 1_800_000_000_000)

    /// Three tasks that wait, in a store whose name has the letters of no.
    private func bench() throws -> Bench {
        let store = MemoryStore(name: "/var/queues.db", identity: "s")
        try store.writeBlocking { store in
            try store.put(QueueRecord(name: "mail", createdAt: Self.start))
            try store.transact(at: Self.start) { mutation in
                let request = EnqueueRequest(type: "send", payload: [])
                _ = try mutation.enqueue([request, request, request], to: "mail")
            }
        }
        return Bench(store: store, size: Size(width: 118, height: 30), now: Self.start)
    }

    private func perform(_ verb: Verb, _ bench: Bench) throws {
        let now = bench.now
        try Control(store: bench.store, person: "ann", now: { now }, chance: { 0.5 })
            .performBlocking(verb)
        bench.send(.storeChanged)
    }

    private func deleted(_ bench: Bench) throws -> Int {
        try bench.store.readBlocking { try $0.counts()[.deleted] }
    }

    @Test("G8 the header says protected, for as long as it is")
    func header() throws {
        let bench = try bench()
        #expect(!bench.lines[0].contains("protected"))
        try perform(.protect, bench)
        #expect(bench.lines[0].contains("protected"))
        try perform(.unprotect(storeName: "queues.db"), bench)
        #expect(!bench.lines[0].contains("protected"))
    }

    @Test("G8 several tasks are deleted when the store's name was typed in its own line")
    func asks() throws {
        let bench = try bench()
        try perform(.protect, bench)
        bench.press("Space Space d")
        #expect(bench.screen.contains("delete 2 tasks?"))
        #expect(bench.screen.contains("queues.db is protected"))
        #expect(bench.screen.contains("type queues.db to do it"))
        bench.press("y Enter")
        #expect(try deleted(bench) == 0 && bench.state.modal != nil)
        bench.press("Backspace")
        bench.type("queues.db")
        bench.press("Enter")
        #expect(bench.state.modal == nil)
        #expect(try deleted(bench) == 2)
        #expect(bench.message.contains("--store-name queues.db"))
        // One alone is not asked about.
        bench.press("d")
        #expect(try deleted(bench) == 3)
    }

    @Test("G8 a queue goes by the name too, whose letters are no answers; Esc leaves it")
    func queue() throws {
        let bench = try bench()
        try perform(.protect, bench)
        bench.choose(.deleteQueue)
        #expect(bench.screen.contains("type queues.db to do it"))
        bench.press("n q")
        #expect(bench.state.modal != nil)
        bench.press("Esc")
        #expect(bench.state.modal == nil && bench.message.contains("nothing was changed"))
        bench.choose(.deleteQueue)
        bench.type("queues.db")
        bench.press("Enter")
        #expect(try bench.store.readBlocking { try $0.queues().isEmpty })
    }

    @Test("G8 a verb of the command line is asked about by the console")
    func commandLine() throws {
        let bench = try bench()
        try perform(.protect, bench)
        bench.press(":")
        bench.type("unprotect")
        bench.press("Enter")
        var report = CommandReport(lines: [], isFailure: false)
        report.verb = .unprotect(storeName: nil)
        bench.send(.commanded(token: bench.state.underWay.lastToken, report))
        #expect(bench.screen.contains("unprotect the store?"))
        bench.type("queues.db")
        bench.press("Enter")
        #expect(!bench.lines[0].contains("protected"))
    }
}
