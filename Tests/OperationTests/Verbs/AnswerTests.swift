import SluiceControl
import SluiceModel
import SluiceStore
import SluiceTestSupport
import Testing

/// Each sentence and field of an answer is held against a read of the store after it.
@Suite("answers")
struct AnswerTests {
    private static let seeds: [Case<Range<Int>>] =
        (0..<4).map { Case(engine: .memory, value: $0 * 10..<($0 + 1) * 10) }
        + [Case(engine: .sqlite, value: 40..<46), Case(engine: .folder, value: 46..<48)]
        + (PostgresServer.isInstalled ? [Case(engine: .postgres, value: 48..<52)] : [])

    @Test("an answer says what the store holds after the verb", arguments: seeds)
    func agree(_ test: Case<Range<Int>>) throws {
        var (verbs, compared) = (0, 0)
        for seed in test.value {
            let bench = try Bench(test.engine)
            var operation = try RandomOperation(bench, seed: seed)
            var verb = RandomAnswerVerb(seed: seed)
            for turn in 0..<60 {
                try operation.next()
                if let former = operation.answered {
                    (verbs, compared) = (verbs + 1, compared + former.compared)
                    #expect(former.wrong == [], "seed \(seed), turn \(turn)")
                    guard former.wrong == [] else { return }
                }
                let next = try verb.next(bench)
                let check = AnswerCheck(bench, before: next)
                do {
                    let wrong = try check.wrong(next, try bench.perform(next))
                    (verbs, compared) = (verbs + 1, compared + check.compared)
                    #expect(wrong == [], "seed \(seed), turn \(turn), \(next)")
                    guard wrong == [] else { return }
                } catch let error as QueueError {
                    guard error.code != .damagedStore else { throw error }
                }
            }
        }
        print(
            "answers: \(test.engine.name), seeds \(test.value), \(test.value.count) stores, "
                + "\(verbs) verbs, \(compared) facts compared")
        #expect(compared > verbs)
    }

    @Test("D1 the answer to a second pause says the pause that holds", arguments: Engine.all)
    func secondPause(_ engine: Engine) throws {
        let bench = try Bench(engine)
        try bench.makeQueue()
        for (scope, name, verb, end) in [
            (VerbScope.queue("q"), "q", "stays", "resume q"),
            (.store, "all queues", "stay", "resume --all"),
        ] {
            let first = try bench.perform(.pause(PauseRequest(scope, reason: "first")))
            #expect(first.summary == "\(name) paused by ann: first" && first.consequences == [])
            let second = try bench.perform(
                .pause(PauseRequest(scope, reason: "second", forMilliseconds: 2000)), by: "bob")
            #expect(second.summary == "\(name) \(verb) paused by ann: first")
            #expect(second.consequences.count == 1 && second.consequences[0].contains(end))
            #expect(try bench.events().last?.text == second.summary)
        }
    }

    @Test(
        "a setting that tasks take over at their enqueue says for which it does not hold",
        arguments: Engine.all)
    func copiedSettings(_ engine: Engine) throws {
        let bench = try Bench(engine)
        try bench.makeQueue()
        let set = Verb.setQueue("q", [.expires(1000)])
        #expect(try bench.perform(set).consequences == [])
        try bench.enqueue(2)
        // An unchanged setting has no consequences.
        #expect(try bench.perform(set).consequences == [])
        let answer = try bench.perform(.setQueue("q", [.expires(500)]))
        #expect(answer.consequences.count == 1)
        let words =
            engine.name == "folder"
            ? "2 tasks that wait have the new expiry" : "2 tasks that wait keep their expiry"
        #expect(answer.consequences.first?.hasPrefix(words) == true)
        let names = try #require(PriorityNames([("high", 5)]))
        let priority = try bench.perform(.setQueue("q", [.priorityNames(names)]))
        #expect(priority.consequences.first?.contains("keep their priority") == true)
        // No other setting is copied into tasks, so waiting tasks follow it.
        for setting in [SettingChange.attempts(1), .timeout(5), .retry(.fixed(milliseconds: 0))] {
            #expect(try bench.perform(.setQueue("q", [setting])).consequences == [])
        }
    }

    @Test("T5 an enqueue says which task it kept, and its state", arguments: Engine.all)
    func kept(_ engine: Engine) throws {
        let bench = try Bench(engine)
        try bench.makeQueue()
        func enqueue(_ count: Int = 1) throws -> Answer {
            try bench.perform(
                .enqueue(
                    queue: "q",
                    (0..<count).map { _ in
                        request { ($0.uniqueKey, $0.uniquePolicy) = ("k", .keep) }
                    }))
        }
        let first = try enqueue()
        let id = try #require(first.changed.first)
        #expect(first.kept == [])
        try bench.perform(.skip([TaskTarget(id)], forMilliseconds: nil))
        let second = try enqueue()
        #expect(second.summary.hasPrefix("kept #\(id), which is skipped"))
        #expect(second.kept.map(\.state) == [.skipped] && second.undo == nil)
        #expect(try enqueue(2).summary == "nothing is new: 2 tasks kept")
    }

    @Test("a running task is deleted once it has stopped", arguments: Engine.all)
    func running(_ engine: Engine) throws {
        let bench = try Bench(engine)
        try bench.makeQueue()
        let ids = try bench.enqueue(2)
        let claimed = try bench.claimOne(try bench.attach())
        let targets = ids.map { TaskTarget($0) }
        let answer = try bench.perform(
            .delete(targets, cancelsRunning: true, members: nil))
        #expect(answer.summary == "2 tasks deleted by ann, 1 of them once it has stopped")
        #expect(try bench.states(ids) == [.running, .deleted])
        try bench.settle(claimed, .stopped(.deleted))
        #expect(try bench.states(ids) == [.deleted, .deleted])
    }
}
