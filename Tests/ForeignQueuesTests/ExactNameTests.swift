import SluiceModel
import SluiceSystem
import Testing

@testable import SluiceForeignQueues

@Suite("names that are one text in two spellings")
struct ExactNameTests {
    private static let composed = "\u{e9}"
    private static let decomposed = "e\u{301}"

    /// Two queues and two jobs whose names are canonically equal in Swift.
    private func twoSpellings() throws -> Fixture {
        let fixture = try Fixture("rq", "queued")
        for (name, count) in [(Self.composed, 1), (Self.decomposed, 2)] {
            try Fixture.send(
                "rq", Array([name, "more"].prefix(count)), queue: name, to: fixture.redis)
        }
        return fixture
    }

    @Test("a queue is not taken for the other one")
    func queues() throws {
        let system = try twoSpellings().system(RQSystem.self)
        #expect(try system.stops(of: Self.composed)?.waiting == 1)
        #expect(try system.stops(of: Self.decomposed)?.waiting == 2)
        let store = ForeignStore(name: "here", systems: [system])
        let look = try store.look(
            at: { $0.first { $0.name.isSame(as: Self.composed) } }, subject: nil)
        #expect(look.tasks.map { Array($0.task.reference.utf8) } == [Array(Self.composed.utf8)])
        let told = ForeignSnapshot(look, numbers: ForeignNumbers(), at: Timestamp(milliseconds: 1))
        #expect(told.queues.count == look.queues.count)
        #expect(told.tasks.map(\.queue) == ["\u{e9} (e9)"])
    }

    @Test("a command names one of two queues that look the same by its bytes or its letters' codes")
    func spelled() throws {
        let system = try twoSpellings().system(RQSystem.self)
        let store = ForeignStore(name: "here", systems: [system])
        let names = ForeignQueueName.names(of: try store.queues()).map(\.spelled)
        #expect(Set(names).isSuperset(of: ["e\u{301} (301)", "\u{e9} (e9)"]))
        let meant = [
            (Self.composed, Self.composed), (Self.decomposed, Self.decomposed),
            ("\u{e9} (e9)", Self.composed), ("e\u{301} (301)", Self.decomposed),
        ]
        for (text, queue) in meant {
            #expect(try store.place(of: text).queue.isSame(as: queue), "\(text)")
        }
        #expect(throws: QueueError.self) { try store.place(of: "\u{e9} (301)") }
    }

    @Test("a task is not taken for the other one, and has a number of its own")
    func tasks() throws {
        let system = try twoSpellings().system(RQSystem.self)
        let store = ForeignStore(name: "here", systems: [system])
        let replica = ForeignReplica(name: "here")
        try replica.update(from: store, at: Timestamp(milliseconds: 1))
        let ids = Set(replica.references.values.map { Array($0.utf8) })
        #expect(ids.isSuperset(of: [Array(Self.composed.utf8), Array(Self.decomposed.utf8)]))
        let seen = SeenElements()
        seen.keep([1], of: Self.composed)
        seen.keep([2], of: Self.decomposed)
        #expect(seen[Self.composed] == [1] && seen[Self.decomposed] == [2])
    }
}

extension ExactNameTests {
    /// MariaDB's own collations take the two spellings for one.
    static let exact = PlayedRows.all.filter { $0.engine != .mariadb }

    @Test("rows of tables are counted and held under their own spelling", arguments: exact)
    func rows(played: PlayedRows) throws {
        let bench = try RowBench(played)
        try bench.clear()
        for (number, name) in [(1, Self.composed), (2, Self.decomposed), (3, Self.decomposed)] {
            try bench.insert(number)
            let text = try bench.session.dialect.literal(name)
            try bench.set(number, "\(bench.system.table.queue) = \(text)")
        }
        _ = try bench.system.hold(Self.decomposed, RQBench.note)
        bench.system.forget()
        let queues = try bench.system.queues().filter { $0.name == Self.composed }
        #expect(queues.map { [UInt8]($0.name.utf8) } == [Self.decomposed, Self.composed].bytes)
        #expect(queues.map(\.waiting) == [2, 1])
        #expect(queues.map(\.held) == [2, 0])
        #expect(queues.map { $0.hold == nil } == [false, true])
        #expect(try bench.system.stops(of: Self.composed)?.hold == nil)
        let limits = StepLimits(takeMilliseconds: 1, endMilliseconds: 1)
        let own = bench.reference(1)
        #expect(try bench.system.step(Self.decomposed, task: own, limits: limits) == nil)
    }

    @Test("bindings of Celery lead to the queue of their own spelling")
    func bindings() {
        let separator = CeleryApp.standardSeparator
        let layout = CeleryLayout(
            [Self.composed, Self.decomposed].map { name in
                let member = [name, "", name].joined(separator: separator)
                return (key: "_kombu.binding.\(name)", members: [member])
            })
        #expect(layout.queues.texts.bytes == [Self.decomposed, Self.composed].bytes)
        for name in [Self.composed, Self.decomposed] {
            let found = layout.queue(CeleryApp(), exchange: name, key: name)
            #expect([found].bytes == [name].bytes)
            #expect([layout.place(of: name).name].bytes == [name].bytes)
        }
    }

    @Test("a queue whose name is no UTF-8 has no exact figure")
    func unread() throws {
        let fixture = try Fixture("rq", "queued")
        try Fixture.send("rq", ["odd"], queue: [0x71, 0xff], to: fixture.redis)
        let queues = try fixture.system(RQSystem.self).queues()
        let unread = try #require(queues.first { !$0.name.isExactName })
        #expect(unread.bounds == Set(ForeignCount.allCases))
        #expect(queues.filter(\.name.isExactName).allSatisfy { $0.bounds == [] })
    }
}

extension [String] {
    fileprivate var bytes: [[UInt8]] { map { [UInt8]($0.utf8) } }
}
