import SluiceControl
import SluiceModel
import SluiceStore
import Testing

@Suite("protected stores")
struct ProtectionTests {
    private static func bench(_ engine: Engine) throws -> Bench {
        let bench = try Bench(engine)
        try bench.makeQueue()
        return bench
    }

    private static func breakpoint(forMilliseconds: Int64?) throws -> Verb {
        var request = BreakRequest(try TaskFilter("type:x"))
        request.forMilliseconds = forMilliseconds
        return .setBreakpoint(request)
    }

    @Test(
        "G8 a protected store refuses faults, and breakpoints without an end", arguments: Engine.all
    )
    func refuses(_ engine: Engine) throws {
        let bench = try Self.bench(engine)
        let answer = try bench.perform(.protect)
        #expect(try bench.read { try $0.storeRecord().isProtected })
        #expect(answer.undo == nil)
        #expect(
            answer.consequences == [
                "undo with: sluice unprotect --store-name "
                    + ShellWord.quoted(bench.store.shortName)
            ])
        #expect(try bench.refusal(fault("type:x")) == .protected)
        #expect(try bench.refusal(Self.breakpoint(forMilliseconds: nil)) == .protected)
        #expect(try bench.refusal(Self.breakpoint(forMilliseconds: 1000)) == nil)
        #expect(try bench.events().suffix(2).map(\.kind) == ["protect", "break"])
        #expect(try bench.perform(.protect).summary.hasSuffix("is protected already"))
        // Verbs not restricted by the protection still work.
        let ids = try bench.enqueue(1)
        let delete = Verb.delete(ids.map { TaskTarget($0) }, cancelsRunning: false, members: nil)
        #expect(try bench.refusal(delete) == nil)
    }

    @Test(
        "G8 what would bring a refused thing back is refused too, and what stood is named",
        arguments: Engine.all)
    func undoing(_ engine: Engine) throws {
        let bench = try Self.bench(engine)
        try bench.perform(fault("type:x"))
        try bench.perform(fault("type:y"))
        try bench.perform(Self.breakpoint(forMilliseconds: nil))
        try bench.perform(.removeFaults(.all))
        let removal = try #require(bench.events().last { $0.kind == "faultRemove" }?.sequence)
        try bench.perform(fault("type:z"))
        let answer = try bench.perform(.protect)
        #expect(
            answer.consequences.prefix(2) == [
                "fault 3 is still active: sluice fault remove 3",
                "breakpoint 1 is still active: sluice break remove 1",
            ])
        #expect(try bench.refusal(.undo(event: removal)) == .protected)
        #expect(try bench.read { try $0.storeRecord().faults.all.map(\.number) } == [3])
        #expect(try bench.refusal(.removeBreakpoints(.all)) == nil)
        #expect(try bench.refusal(.undo(event: nil)) == .protected)
        try bench.perform(.unprotect(storeName: bench.store.shortName))
        try bench.perform(.undo(event: nil))
        #expect(try bench.read { try $0.storeRecord().breakpoints.all.count } == 1)
    }

    @Test(
        "G8 an undo takes back no protection: it would end it without the name, and says so",
        arguments: Engine.all)
    func notUndone(_ engine: Engine) throws {
        let bench = try Self.bench(engine)
        func undoOf(_ kind: String) throws -> QueueError? {
            let event = try #require(bench.events().last { $0.kind == kind }?.sequence)
            return #expect(throws: QueueError.self) { try bench.perform(.undo(event: event)) }
        }
        func isProtected() throws -> Bool { try bench.read { try $0.storeRecord().isProtected } }
        try bench.perform(.protect)
        let ended = try undoOf("protect")
        #expect(ended?.code == .notLegal)
        #expect(ended?.message.contains("without the name") == true)
        #expect(ended?.fix.hasPrefix("sluice unprotect --store-name ") == true)
        // With nothing else to take back an undo without a number leaves it too.
        #expect(try bench.refusal(.undo(event: nil)) == .notLegal)
        #expect(try isProtected())
        try bench.perform(.unprotect(storeName: bench.store.shortName))
        let again = try undoOf("unprotect")
        #expect(again?.code == .notLegal && again?.fix == "sluice protect")
        #expect(try !isProtected())
    }

    @Test(
        "G8 purge, a removed queue and several deleted or cancelled tasks ask for the name",
        arguments: Engine.all)
    func asks(_ engine: Engine) throws {
        let bench = try Self.bench(engine)
        let name = bench.store.shortName
        let ids = try bench.enqueue(4).map { TaskTarget($0) }
        try bench.perform(.protect)
        let two = Array(ids.prefix(2))
        let asking: [Verb] = [
            .delete(two, cancelsRunning: false, members: nil), .cancel(two),
            .purge([ids[3]], members: nil), .deleteQueue("q", evenWithTasks: true),
            .unprotect(storeName: nil),
        ]
        for verb in asking {
            #expect(try bench.refusal(verb) == .protected, "\(verb.name)")
            var wrong = verb
            wrong.storeName = "other"
            #expect(try bench.refusal(wrong) == .badName, "\(verb.name)")
            var right = verb
            right.storeName = name
            #expect(right.storeName == name && right.asksForStoreName(), "\(verb.name)")
        }
        #expect(try bench.states(ids.map(\.id)) == Array(repeating: .waiting, count: 4))
        // One task needs no confirmation, and a rehearsal needs none because it commits nothing.
        try bench.perform(.delete([ids[3]], cancelsRunning: false, members: nil))
        let tried = try bench.control().rehearse(asking[0])
        #expect(tried.changed == two.map(\.id))
        for verb in [asking[0], asking[2], asking[3], asking[4]] {
            var named = verb
            named.storeName = name
            try bench.perform(named)
        }
        #expect(try bench.read { try $0.queue(named: "q") } == nil)
        #expect(try bench.read { try $0.storeRecord().isProtected } == false)
    }

    @Test("G8 a slice of a bulk is asked for the name as the whole is")
    func bulk() throws {
        let bench = try Self.bench(.memory)
        let ids = try bench.enqueue(1001).map { TaskTarget($0) }
        try bench.perform(.protect)
        var verb = Verb.delete(ids, cancelsRunning: false, members: nil)
        #expect(try bench.refusal(verb) == .protected)
        verb.storeName = bench.store.shortName
        #expect(try bench.perform(verb).changed.count == 1001)
    }

    @Test(
        "G8 a store is called by the last part of its path, or by its database",
        arguments: [
            ("./app.db", "app.db"), ("/var/lib/app.db", "app.db"), ("app.db", "app.db"),
            ("/home/kim/queue/", "queue"), ("memory", "memory"),
            ("postgres://kim@db:5432/orders?sslmode=require", "orders"),
            ("postgres:///orders", "orders"), ("postgres://kim@db", "kim"),
            ("postgresql:///?host=/tmp&dbname=jobs", "jobs"), ("postgres://db/", "db"),
        ])
    func names(name: String, short: String) {
        #expect(StoreName.short(name) == short)
    }
}
