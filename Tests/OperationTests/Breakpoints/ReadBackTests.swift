import SluiceControl
import SluiceModel
import SluiceStore
import Testing

/// A program reads breakpoints and faults that another one set.
@Suite("breakpoints and faults of a store's rows")
struct ReadBackTests {
    /// Filters that match the first task, one for each lookup index.
    private static let filters = [
        "type:x", "queue:q", "group:g", "session:s", "id:1", "payload.n=7", "label:red",
        "type:x,y attempts<3", "type:y or payload.n=7", "-type:y",
    ]

    @Test(
        "G1 G2 what another connection reads of them is asked as it is here",
        arguments: Case.all(filters))
    func isAsked(_ test: Case<String>) throws {
        let bench = try Bench(test.engine)
        try bench.makeQueue()
        let payload = Array(#"{"n":7}"#.utf8)
        let ids = try bench.enqueue([
            request("x") {
                ($0.groupMembers, $0.session, $0.label) = (["g"], "s", "red")
                $0.payload = payload
            }, request("y") { $0.payload = payload },
        ])
        for filter in ["type:none", test.value] {
            try bench.perform(stop(filter))
            try bench.perform(fault(filter))
        }
        let facts = KnownFacts(now: bench.now, display: .due, payload: payload)
        let task = try bench.task(ids[0])
        // Another connection knows nothing but the rows.
        var read = try bench.readOnly().readBlocking { try $0.storeRecord() }
        #expect(try read.breakpoints.meet(task, [.before], facts).stopping.map(\.number) == [2])
        #expect(try read.faults.take(task, facts, allowsCrash: false).fault?.number == 2)
        // The process that set them applies the same rules.
        let runner = try bench.attach()
        #expect(try bench.claim(runner).isEmpty)
        #expect(try bench.record().hits(at: bench.now).map(\.task) == [ids[0]])
        try bench.perform(.goOn(queue: "q"))
        let claimed = try bench.claimOne(runner)
        #expect(claimed.task.id == ids[0] && claimed.task.running?.injection?.fault == 2)
    }
}
