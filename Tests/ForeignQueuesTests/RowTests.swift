import SluiceModel
import SluiceSystem
import SluiceTestSupport
import Testing

@testable import SluiceForeignQueues

@Suite(
    "systems of tables in three databases, as their own libraries filled them", .serialized)
struct RowTests {
    private static let limits = StepLimits(takeMilliseconds: 20_000, endMilliseconds: 20_000)

    @Test("lists, payloads, times and failures are the system's own", arguments: PlayedRows.all)
    func shown(played: PlayedRows) throws {
        let bench = try RowBench(played)
        let waiting = try bench.waiting()
        let due = try #require(waiting.first { $0.display == .due })
        #expect(due.type.lowercased() == "run" && due.label?.contains("1") == true)
        let payload = try #require(try bench.system.detail(due.reference)?.payload)
        let numbers: [JSONValue?] = [
            payload.value?["data"]?["command"]?["number"], payload.value?["number"],
            payload.value?["message"]?["number"], payload.value?["args"]?[0],
        ]
        #expect(numbers.compactMap { $0 } == [1])
        if played.name == "djangotasks" {
            let digits = due.reference.filter { $0 != "-" }
            var hyphened = digits.uppercased()
            for place in [20, 16, 12, 8] {
                hyphened.insert("-", at: hyphened.index(hyphened.startIndex, offsetBy: place))
            }
            for id in [digits, hyphened] {
                #expect(try bench.system.detail(id)?.task.reference == due.reference)
            }
        }
        // Symfony has a queue of failures.
        let name = played.name == "symfony" ? "failed" : RowBench.queue
        let all = try bench.system.page(ForeignQuery(queue: name, state: .failed)).tasks
        let failed = try #require(all.first)
        #expect(all.count == 1 && failed.error?.contains("no such address: 3") == true)
        #expect(try bench.system.detail(failed.reference)?.task == failed)
        #expect((failed.endedAt == nil) == (played.name == "symfony"), "\(failed)")
        #expect(try bench.system.queues().first { $0.name == name }?.failed == 1)
        guard played.name != "djangoq" else { return }
        let timers = try bench.system.timers(limit: 10)
        #expect(timers.map(\.at) == [Timestamp(milliseconds: 2_114_380_800_000)])
        #expect(waiting.contains { $0.display == .delayed && $0.notBefore == timers[0].at })
        #expect(try bench.queue()?.delayed == 1 && bench.queue()?.waiting == 1)
    }

    @Test(
        "D3 nobody claims what is held or comes, a step lets one through, all run once at the end",
        arguments: PlayedRows.all)
    func steps(played: PlayedRows) throws {
        let bench = try RowBench(played)
        try bench.clear()
        for number in 1...5 { try bench.insert(number) }
        _ = try bench.system.hold(RowBench.queue, RQBench.note)
        try bench.insert(6)
        let worker = try RowWorker(bench)
        try until("the worker asks") { worker.hasLooked }
        let queue = try #require(try bench.queue())
        #expect(queue.held == 6 && queue.waiting == 6 && queue.hold?.note == RQBench.note)
        #expect(throws: QueueError.self) { try bench.system.hold(RowBench.queue, RQBench.note) }
        let step = try bench.system.step(
            RowBench.queue, task: bench.reference(4), limits: Self.limits)
        #expect(step?.outcome == "success" || step?.note?.contains("was removed") == true)
        #expect(worker.all == [bench.reference(4)])
        if !played.fail("t", "1", "2").isEmpty {
            worker.failNext()
            let failed = try bench.system.step(
                RowBench.queue, task: bench.reference(2), limits: Self.limits)
            #expect(failed?.outcome == "retry")
            #expect(try bench.queue()?.held == 5)
        }
        let next = try bench.system.step(RowBench.queue, task: nil, limits: Self.limits)
        #expect(next?.task.reference == bench.reference(1))
        #expect(worker.all.last == bench.reference(1))
        let before = worker.all.count
        let held = try #require(try bench.queue()?.held)
        _ = try bench.system.release(RowBench.queue)
        try until("the others run") { worker.all.count == before + held }
        #expect(try bench.queue()?.hold == nil && bench.session.triggers().isEmpty)
        worker.end()
    }

    @Test(
        "D3 an older row of the same job is no further attempt of a stepped one",
        arguments: PlayedRows.all.filter { $0.name == "laravel" })
    func copies(played: PlayedRows) throws {
        let bench = try RowBench(played)
        try bench.clear()
        try bench.insert(1)
        try bench.insert(2)
        let first = try #require(try bench.row(1))
        let payload = try bench.session.dialect.literal(first["payload"] ?? .null)
        try bench.set(2, "payload = \(payload)")
        _ = try bench.system.hold(RowBench.queue, RQBench.note)
        let worker = try RowWorker(bench)
        let step = try bench.system.step(
            RowBench.queue, task: bench.reference(1), limits: Self.limits)
        #expect(step?.outcome == "success" && worker.all == [bench.reference(1)])
        worker.end()
    }

    @Test(
        "D3 without a worker a step takes the task back, with all that its row said",
        arguments: PlayedRows.all)
    func nobody(played: PlayedRows) throws {
        let bench = try RowBench(played)
        try bench.insert(1)
        let free = try bench.row(1)
        _ = try bench.system.hold(RowBench.queue, RQBench.note)
        let before = try bench.row(1)
        #expect(throws: QueueError.self) {
            try bench.system.step(
                RowBench.queue, task: bench.reference(1),
                limits: StepLimits(takeMilliseconds: 0))
        }
        #expect(try bench.row(1) == before && before != free)
        _ = try bench.system.release(RowBench.queue)
        #expect(try bench.row(1) == free)
    }

    @Test(
        "D7 what verbs change is undone whole, held or not", arguments: PlayedRows.all,
        [false, true])
    func undo(played: PlayedRows, isHeld: Bool) throws {
        let bench = try RowBench(played)
        try bench.insert(1)
        let (system, id) = (bench.system, bench.reference(1))
        if isHeld { _ = try system.hold(RowBench.queue, RQBench.note) }
        let before = try bench.row(1)
        var changes: [ForeignChange] = [.skip, .delete]
        if system.refusal(of: .priority) == nil { changes.append(.priority(3)) }
        let later = Timestamp(milliseconds: 2_114_380_900_000)
        if system.refusal(of: .postpone) == nil { changes.append(.postpone(later)) }
        for change in changes {
            _ = try system.change(id, change, by: "dana")
            let detail = try system.detail(id)
            #expect(try bench.row(1) != before, "\(change)")
            switch change {
            case .skip: #expect(detail?.task.display == .skipped)
            case .postpone: #expect(detail?.task.notBefore == later)
            case .delete: #expect(detail == nil)
            default: #expect(detail?.task.priority == 3)
            }
            if case .skip = change {
                _ = try system.change(id, .unskip, by: "dana")
                #expect(try bench.row(1) == before)
                #expect(try system.undo(by: "dana")?.changed == [id])
            }
            #expect(try system.undo(by: "dana")?.changed == [id])
            #expect(try bench.row(1) == before, "\(change)")
        }
        #expect(try system.undo(by: "dana") == nil)
    }

    @Test(
        "an undo after its queue was given back gives the task back too", arguments: PlayedRows.all)
    func undoneLater(played: PlayedRows) throws {
        let bench = try RowBench(played)
        try bench.insert(1)
        let free = try bench.row(1)
        _ = try bench.system.hold(RowBench.queue, RQBench.note)
        _ = try bench.system.change(bench.reference(1), .delete, by: "dana")
        _ = try bench.system.release(RowBench.queue)
        _ = try bench.system.undo(by: "dana")
        #expect(try bench.row(1) == free)
        _ = try bench.system.change(bench.reference(1), .delete, by: "dana")
        _ = try bench.system.hold(RowBench.queue, RQBench.note)
        _ = try bench.system.undo(by: "dana")
        #expect(try bench.system.detail(bench.reference(1))?.task.display == .held)
    }

    @Test("a failed task waits again where its system can, and an undo fails it again")
    func retries() throws {
        for played in PlayedRows.all
        where ["laravel", "delayedjob", "djangotasks"].contains(played.name) {
            let bench = try RowBench(played)
            let failed = ForeignQuery(queue: RowBench.queue, state: .failed)
            let id = try #require(try bench.system.page(failed).tasks.first?.reference)
            let before = try bench.system.detail(id)
            _ = try bench.system.hold(RowBench.queue, RQBench.note)
            _ = try bench.system.change(id, .retry, by: "dana")
            #expect(try bench.system.page(failed).tasks.isEmpty)
            #expect(try bench.queue()?.held == 2)
            _ = try bench.system.undo(by: "dana")
            #expect(try bench.system.detail(id) == before)
            #expect(try bench.queue()?.held == 1 && bench.queue()?.delayed == 1)
        }
    }

    @Test("an edit keeps what it does not name, and refuses what it cannot write")
    func edits() throws {
        for engine in PlayedRows.engines {
            let bench = try RowBench(PlayedRows(name: "laravel", engine: engine))
            try bench.insert(1)
            let old = try #require(try bench.row(1)?["payload"]?.string)
            var new = try #require(
                try bench.system.detail(bench.reference(1))?.payload.value?.object)
            new["maxTries"] = 7
            _ = try bench.system.change(bench.reference(1), .edit(.object(new)), by: "dana")
            let text = try #require(try bench.row(1)?["payload"]?.string)
            let command = try JSONValue.parse(text)["data"]?["command"]
            #expect(command == (try JSONValue.parse(old))["data"]?["command"])
            #expect(try bench.system.detail(bench.reference(1))?.task.attemptLimit == 7)
            new["data"] = ["command": ["number": 9]]
            #expect(throws: QueueError.self) {
                try bench.system.change(bench.reference(1), .edit(.object(new)), by: "dana")
            }
            let tasks = try RowBench(PlayedRows(name: "djangotasks", engine: engine))
            try tasks.insert(1)
            let payload: JSONValue = ["args": [5, "it's"], "kwargs": ["a@b": "$1 \\ x"]]
            _ = try tasks.system.change(tasks.reference(1), .edit(payload), by: "dana")
            #expect(try tasks.system.detail(tasks.reference(1))?.payload.value == payload)
        }
    }

    @Test("D7 each verb on each state does what the table says", arguments: PlayedRows.all)
    func cells(played: PlayedRows) throws {
        let bench = try RowBench(played)
        var number = 0
        func cell(_ display: ForeignTask.Display, _ make: (Int) throws -> Void) throws {
            for verb in PossibleCell.verbs {
                number += 1
                try bench.insert(number)
                // An object of PHP is not edited; JSON is.
                if played.name == "symfony" { try bench.set(number, "body = '{\"number\":1}'") }
                try make(number)
                try PossibleCell(
                    system: bench.system, reference: bench.reference(number), display: display
                ).check(verb)
            }
        }
        try cell(.due) { _ in }
        try cell(.skipped) {
            _ = try bench.system.change(bench.reference($0), .skip, by: "dana")
        }
        for (display, setting) in played.settings {
            try cell(display) { try bench.set($0, setting) }
        }
        _ = try bench.system.hold(RowBench.queue, RQBench.note)
        try cell(.held) { _ in }
    }

    @Test("a hold whose tool died goes on by another pause, and one without its trigger says so")
    func leaks() throws {
        for played in PlayedRows.all {
            let bench = try RowBench(played)
            try bench.clear()
            try bench.insert(1)
            try bench.system.makeHoldsTable()
            try bench.system.session.transaction {
                try bench.system.sayHold(RowBench.queue, RQBench.note, .begins)
            }
            #expect(try bench.queue()?.hold?.leak == "what waited before is not all aside")
            let note = HoldNote(by: "kim", since: Timestamp(milliseconds: 5))
            _ = try bench.system.hold(RowBench.queue, note)
            #expect(try bench.queue()?.hold?.note == RQBench.note)
            #expect(try bench.queue()?.hold?.leak == nil && bench.queue()?.held == 1)
            try bench.system.dropTriggers(RowBench.queue)
            #expect(
                try bench.queue()?.hold?.leak == "its trigger is missing: new tasks may run")
            _ = try bench.system.hold(RowBench.queue, note)
            try bench.insert(2)
            #expect(try bench.queue()?.held == 2)
            try bench.session.define("DELETE FROM \(RowSystem.holdsTable)")
            try bench.system.dropTriggers(RowBench.queue)
            #expect(try bench.queue()?.leftAside == 2)
            _ = try bench.system.release(RowBench.queue)
            #expect(try bench.queue()?.held == 0 && bench.queue()?.waiting == 2)
        }
    }

    /// The keys come from the source of Laravel 13.26.1. The cache puts its prefix before the keys
    /// of `QueueManager`.
    @Test(
        "Laravel's own pauses in its cache, of one queue and of all",
        arguments: PlayedRows.engines)
    func ownPauses(engine: PlayedRows.Engine) throws {
        let bench = try RowBench(PlayedRows(name: "laravel", engine: engine))
        // No answer takes long by this clock, so a busy machine keeps none.
        bench.system.clock = { 0 }
        try bench.insert(1)
        func pauses() throws -> [String: String?] {
            Dictionary(
                uniqueKeysWithValues: try bench.system.queues().map { ($0.name, $0.ownPause) })
        }
        let name = bench.session.dialect.name("key")
        try bench.session.define(
            "CREATE TABLE cache (\(name) varchar(255) PRIMARY KEY, value text, expiration integer)")
        #expect(try pauses()[RowBench.queue] == .some(nil))
        func pause(_ key: String) throws {
            try bench.session.define(
                "INSERT INTO cache VALUES ('shop_cache_\(key)', 'b:1;', 2147483647)")
        }
        try pause("illuminate:queue:paused:database:bulk")
        #expect(try pauses()[RowBench.queue] == .some(nil))
        #expect(try pauses()["bulk"] == "by php artisan queue:pause")
        try pause("illuminate:queues:paused")
        let reason = "all queues, by php artisan queue:pause --all"
        #expect(try pauses().allSatisfy { $0.value == reason })
        #expect(try bench.system.stops(of: RowBench.queue)?.ownPause == reason)
    }

    @Test(
        "a role of PostgreSQL that could make a trigger, but not remove it, holds nothing",
        .enabled(if: PostgresServer.isInstalled))
    func owner() throws {
        let bench = try RowBench(PlayedRows(name: "laravel", engine: .postgres))
        let role = "low_\(try PostgresServer.shared().newName())"
        for right in [
            "CREATE ROLE \(role)", "GRANT ALL ON ALL TABLES IN SCHEMA public TO \(role)",
            "GRANT ALL ON SCHEMA public TO \(role)",
        ] { try bench.session.define(right) }
        let error = #expect(throws: QueueError.self) {
            try bench.session.transaction {
                try bench.session.define("SET LOCAL ROLE \(role)")
                try bench.session.checkTriggers(on: "jobs", setting: "queue")
            }
        }
        #expect(error?.fix == "ask as the owner of the table")
        try bench.session.checkTriggers(on: "jobs", setting: "queue")
    }

    @Test("pages follow one another, and counts past their bound say so", arguments: PlayedRows.all)
    func pages(played: PlayedRows) throws {
        let bench = try RowBench(played)
        try bench.clear()
        for number in 1...7 { try bench.insert(number) }
        var query = ForeignQuery(queue: RowBench.queue, state: .waiting, limit: 3)
        var paged: [String] = []
        for _ in 0..<3 {
            let page = try bench.system.page(query)
            paged += page.tasks.map(\.reference)
            #expect(page.more == (paged.count < 7))
            query.after = page.tasks.last?.reference
        }
        #expect(paged == (1...7).map(bench.reference))
        let details = try bench.system.details(of: bench.waiting())
        #expect(details.compactMap { $0?.task.reference } == paged)
        #expect(try bench.system.detail("no such id") == nil)
        bench.system.countLimits = (4, 4)
        let queue = try #require(try bench.queue())
        #expect(queue.waiting == 4 && queue.bounds.contains(.waiting))
    }

    @Test("a file is opened by its path and by sqlite:, and --as names one system of it")
    func files() throws {
        let bench = try RowBench(PlayedRows(name: "laravel", engine: .sqlite))
        let keepers = KeeperLauncher { _, _ in }
        #expect(ForeignStore.isForeign("sqlite:\(bench.address)"))
        let store = try ForeignStore.open(
            "sqlite:\(bench.address)", as: "laravel", keepers: keepers)
        #expect(store.systems.map(\.name) == ["laravel"])
        #expect(throws: QueueError.self) {
            try ForeignStore.open(bench.address, as: "djangoq", keepers: keepers)
        }
    }
}
