import SluiceControl
import SluiceFolderStore
import SluiceModel
import SluiceSQL
import SluiceStore
import SluiceSystem
import SluiceTransfer
import Testing

@Suite("The same import twice")
struct TwiceTests {
    @Test("P6 lines with and without an origin come in once; what is new in the file comes in")
    func lines() throws {
        let ground = try Ground()
        let store = try ground.sqlite("a.db")
        let text = """
            {"type":"one","queue":"q"}
            {"type":"one","queue":"q"}

            {"type":"two","queue":"q","origin":"their number 7"}

            """
        try ground.write(text, to: "a.jsonl")
        #expect(try ground.importLines("a.jsonl", into: store).added == 3)
        let again = try ground.importLines("a.jsonl", into: store)
        #expect(again.added == 0 && again.known == 3 && again.undo == nil)
        try ground.write(text + "{\"type\":\"three\",\"queue\":\"q\"}", to: "b.jsonl")
        #expect(try ground.importLines("b.jsonl", into: store).added == 1)
        #expect(try store.all("q").map(\.type) == ["one", "one", "two", "three"])
        #expect(try store.readBlocking { try $0.origin(of: 3) } == "their number 7")
    }

    @Test("P6 what came in, was done and is gone does not come in again, unless that is asked for")
    func gone() throws {
        let ground = try Ground()
        let first = try ground.sqlite("a.db")
        try first.enqueue((0..<4).map { request("t\($0)") }, to: "q")
        try ground.lines(of: first, "a.jsonl")
        let second = try ground.sqlite("b.db")
        try ground.importLines("a.jsonl", into: second)
        try second.writeBlocking { try $0.remove([1, 3]) }
        #expect(try ground.importLines("a.jsonl", into: second).known == 4)
        let again = try ground.importLines("a.jsonl", into: second, again: true)
        #expect(again.added == 2 && again.known == 2)
        #expect(try ground.importLines("a.jsonl", into: second, again: true).added == 0)
        let types = try second.all("q").map(\.type)
        #expect(types == ["t1", "t3", "t0", "t2"])
    }

    @Test("P6 a store knows its own tasks, by whatever way they come back")
    func ownTasks() throws {
        let ground = try Ground()
        let first = try ground.sqlite("a.db")
        try first.enqueue((0..<4).map { request("t\($0)") }, to: "q")
        let second = try ground.sqlite("b.db")
        try ground.importStore(first, into: second)
        try second.enqueue([request("new")], to: "q")
        let back = try ground.importStore(second, into: first)
        #expect(back.added == 1 && back.known == 4)
        #expect(try first.all("q").map(\.type) == ["t0", "t1", "t2", "t3", "new"])
        // A third store gets each of them once, from either source.
        let third = try ground.sqlite("c.db")
        #expect(try ground.importStore(second, into: third).added == 5)
        #expect(try ground.importStore(first, into: third).known == 5)
        let folder = try FolderSink(path: ground.path("f"))
        _ = try TransferExport(from: try ground.source(third), to: folder).run()
        let opened = try ground.openFolder("f")
        for store in [first, second, third] {
            #expect(try ground.importStore(opened, into: store).known == 5)
        }
    }

    @Test("P6 the same store is no source for itself")
    func itself() throws {
        let ground = try Ground()
        let store = try ground.sqlite("a.db")
        try store.enqueue([request("t")], to: "q")
        let other = try ground.sqlite("a.db")
        let error = #expect(throws: QueueError.self) {
            try ground.importStore(other, into: store)
        }
        #expect(error?.code == .notLegal)
    }

    @Test("P6 an import that was stopped, or failed, goes on with the rest and adds nothing twice")
    func resumed() throws {
        let ground = try Ground()
        let lines = (0..<4200).map { "{\"type\":\"t\($0)\",\"queue\":\"q\"}" }
        try ground.write(lines.joined(separator: "\n"), to: "a.jsonl")
        let faults = WriteFaults()
        let store = try ground.sqlite("a.db", faults: faults)
        let seen = Protected<[Int]>([])
        let stopped = try ground.importLines("a.jsonl", into: store) { progress in
            seen.withLock { $0.append(progress.done) }
            return progress.done >= 6000 ? .stop : .goOn
        }
        #expect(stopped.isStopped && stopped.added == 2000)
        // Looking at the tasks is half of the work.
        #expect(seen.withLock { $0 } == [0, 1000, 2000, 3000, 4000, 4200, 5200, 6200])
        let failing = try ground.importLines("a.jsonl", into: store) { progress in
            if progress.done == 7200 { faults.fail(from: 1) }
            return .goOn
        }
        #expect(failing.error?.code == .diskFull && failing.added == 1000 && failing.known == 2000)
        faults.fail(from: nil)
        let last = try ground.importLines("a.jsonl", into: store)
        #expect(last.error == nil && last.known == 3000)
        #expect(try store.all("q").map(\.type) == (0..<4200).map { "t\($0)" })
    }
}
