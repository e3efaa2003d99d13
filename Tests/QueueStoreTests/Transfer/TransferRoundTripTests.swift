import SluiceControl
import SluiceFolderStore
import SluiceModel
import SluiceSQL
import SluiceStore
import SluiceSystem
import SluiceTransfer
import Testing

@Suite("Export and import")
struct TransferRoundTripTests {
    /// Lines as they are anywhere: without the numbers of one store.
    private func known(_ lines: [String]) throws -> [JSONValue] {
        try lines.map { line in
            var object = try #require(try JSONValue.parse(line).object)
            object["id"] = nil
            return .object(object)
        }
    }

    /// How the tasks travel.
    enum Way: String, CaseIterable, Sendable {
        case lines, sqlite, direct
    }

    @Test("P6 what goes out comes in again, every field of it", arguments: Way.allCases)
    func everything(_ way: Way) throws {
        let ground = try Ground()
        let first = try ground.sqlite("a.db")
        try RichStore.fill(first)
        let former = try ground.lines(of: first, "a.jsonl")
        #expect(former.count == RichStore.states.count + 4)
        let second = try ground.sqlite("b.db")
        let report: ImportReport
        switch way {
        case .lines: report = try ground.importLines("a.jsonl", into: second)
        case .direct: report = try ground.importStore(first, into: second)
        case .sqlite:
            let sink = try SQLiteSink(
                path: ground.path("copy.db"), source: "a", person: "ann", now: { at(0) })
            let made = try TransferExport(from: try ground.source(first), to: sink).run()
            #expect(made.tasks == RichStore.states.count + 1 && made.losses == [])
            let copy = try ground.sqlite("copy.db")
            #expect(try copy.readBlocking { try $0.storeRecord().durability } == .full)
            report = try ground.importStore(copy, into: second)
            #expect(try Files.status(ground.path("copy.db"))?.mode == 0o600)
        }
        #expect(report.added == RichStore.states.count + 1 && report.losses == [])
        #expect(report.created.sorted() == ["mail", "site", "up"] && report.refused == [])
        let after = try ground.lines(of: second, "b.jsonl")
        #expect(try known(after) == known(former))
        #expect(try Files.status(ground.path("a.jsonl"))?.mode == 0o600)
        let pauses = try second.readBlocking { try $0.requireQueue("mail").pauses }
        #expect(pauses.map(\.by) == ["bob"])
        let child = try #require(try second.all("site").first)
        let parent = try #require(child.parent)
        #expect(try second.readBlocking { try $0.requireTask(parent).type } == "type 1")
    }

    @Test("P6 what goes on in one store does not in another: it waits, and that is said")
    func goingOn() throws {
        let ground = try Ground()
        let first = try ground.sqlite("a.db")
        try first.enqueue((0..<3).map { request("t\($0)") }, to: "q")
        try first.writeBlocking { writer in
            var (one, two) = (try writer.requireTask(1), try writer.requireTask(2))
            one.state = .running(Running(owner: 4, token: 9, attempt: 1, since: at(0)))
            var waiting = Waiting()
            waiting.lingering = Lingering(kind: .orphan, owner: 4, attempt: 1)
            waiting.attemptedInRun = true
            two.state = .waiting(waiting)
            two.collector = 4
            try writer.update([one, two])
        }
        let second = try ground.sqlite("b.db")
        let report = try ground.importStore(first, into: second)
        #expect(
            report.losses.map(\.what) == [
                "an attempt that runs", "an attempt that lingers",
            ])
        #expect(try second.all("q").map(\.state) == Array(repeating: .waiting(Waiting()), count: 3))
        #expect(try second.all("q").allSatisfy { $0.collector == nil })
        let third = try ground.sqlite("c.db")
        try ground.lines(of: first, "a.jsonl")
        try ground.importLines("a.jsonl", into: third)
        #expect(try third.all("q").map(\.state.name) == [.waiting, .waiting, .waiting])
    }

    @Test("B5 members are held by the start that came before them, and by a failed one that holds")
    func groups() throws {
        let ground = try Ground()
        let first = try ground.sqlite("a.db")
        func role(_ start: String?, _ members: [String]) -> EnqueueRequest {
            request("t") { ($0.groupStart, $0.groupMembers) = (start, members) }
        }
        try first.enqueue(
            [role("g", []), role(nil, ["g"]), role("h", []), role(nil, ["h"]), role(nil, ["g"])],
            to: "q")
        try first.act { mutation in
            try mutation.apply(.giveUp(reason: "no"), to: try mutation.store.requireTask(1))
            try mutation.apply(
                .delete(Deletion(by: "ann", members: .release)),
                to: try mutation.store.requireTask(3))
        }
        let held = try first.all("q").map(\.isHeld)
        #expect(held == [false, true, false, false, true])
        try ground.lines(of: first, "a.jsonl")
        let second = try ground.sqlite("b.db")
        try ground.importLines("a.jsonl", into: second)
        #expect(try second.all("q").map(\.isHeld) == held)
        #expect(try second.writeBlocking { try $0.rebuildIndexes() } == [])
    }

    @Test("Q1 tasks run in the order in which they would have run, whatever that is")
    func order() throws {
        let ground = try Ground()
        for order in QueueOrder.allCases {
            let first = try ground.sqlite("a-\(order).db")
            try first.writeBlocking { writer in
                var settings = QueueSettings()
                settings.order = order
                try writer.put(QueueRecord(name: "q", settings: settings, createdAt: at(0)))
            }
            let requests = (0..<1200).map { number in
                request("t\(number)") {
                    $0.priority = number % 7
                    $0.sortKey = number % 3 == 0 ? nil : .integer(Int64(number % 5))
                }
            }
            try first.enqueue(requests, to: "q")
            try first.act { mutation in
                try mutation.apply(.move(position: 1), to: try mutation.store.requireTask(700))
            }
            let second = try ground.sqlite("b-\(order).db")
            try ground.importStore(first, into: second)
            func running(_ store: any QueueStore) throws -> [String] {
                let query = TaskQuery(queue: "q", state: .waiting, limit: 2000)
                return try store.readBlocking { try $0.tasks(matching: query).map(\.type) }
            }
            #expect(try running(second) == running(first))
        }
    }

    @Test("D10 a filter chooses what goes out, and what comes in")
    func filtered() throws {
        let ground = try Ground()
        let first = try ground.sqlite("a.db")
        try RichStore.fill(first)
        let failed = try ground.lines(of: first, "failed.jsonl", filter: "state:failed")
        #expect(failed.count == 3 && failed[0].contains("\"settings\""))
        try ground.lines(of: first, "all.jsonl")
        let second = try ground.sqlite("b.db")
        let lines = try LinesSource(
            path: ground.path("all.jsonl"), filter: try TaskFilter("state:parked -queue:up"),
            now: at(0))
        let report = try TransferImport(ground.control(second)).run(lines)
        #expect(report.added == 2)
        #expect(throws: QueueError.self) {
            try LinesSource(
                path: ground.path("all.jsonl"), filter: try TaskFilter("state:held"),
                now: at(0))
        }
    }

    @Test("D9 an import of many slices is undone as one, ended tasks with it")
    func undone() throws {
        let ground = try Ground()
        let lines = (0..<2500).map { number in
            "{\"type\":\"t\(number)\",\"queue\":\"q\""
                + (number == 7 ? ",\"state\":\"failed\"" : "") + "}"
        }
        try ground.write(lines.joined(separator: "\n"), to: "a.jsonl")
        let store = try ground.sqlite("a.db")
        let report = try ground.importLines("a.jsonl", into: store)
        #expect(report.added == 2500)
        let control = ground.control(store)
        let answer = try control.performBlocking(.undo(event: nil))
        #expect(answer.changed.count == 2500 && answer.failed.isEmpty)
        #expect(try store.all("q").allSatisfy { $0.state.name == .deleted })
        #expect(try ground.importLines("a.jsonl", into: store).known == 2500)
    }
}
