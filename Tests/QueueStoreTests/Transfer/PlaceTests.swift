import SluiceControl
import SluiceFolderStore
import SluiceModel
import SluiceSQL
import SluiceStore
import SluiceSystem
import SluiceTransfer
import Testing

@Suite("What an export makes")
struct PlaceTests {
    private func sink(_ format: TransferFormat, _ path: String) throws -> any TransferSink {
        switch format {
        case .lines: try LinesSink(path: path)
        case .sqlite: try SQLiteSink(path: path, source: "a", person: "ann", now: { at(0) })
        case .folder: try FolderSink(path: path)
        case .har: try HARSink(path: path, version: "1")
        }
    }

    @Test(
        "P5 it is whole, for its owner alone, and replaces nothing",
        arguments: TransferFormat.allCases)
    func place(_ format: TransferFormat) throws {
        let ground = try Ground()
        let store = try ground.sqlite("a.db")
        try store.enqueue((0..<5).map { request("t\($0)") }, to: "q")
        let path = ground.path("out")
        let source = try ground.source(store)
        // An archive of requests counts tasks that made some.
        let count = format == .har ? 0 : 5
        #expect(try TransferExport(from: source, to: try sink(format, path)).run().tasks == count)
        #expect(try ground.names() == ["a.db", "out"])
        #expect(try Files.status(path)?.mode == (format == .folder ? 0o700 : 0o600))
        let error = #expect(throws: QueueError.self) { try sink(format, path) }
        #expect(error?.code == .notLegal)
        // A file created in between is not replaced either.
        let late = try sink(format, ground.path("late"))
        try ground.write("mine", to: "late")
        let refused = #expect(throws: QueueError.self) {
            try TransferExport(from: source, to: late).run()
        }
        #expect(refused?.code == .notLegal)
        #expect(try ground.text("late") == "mine")
        #expect(try ground.names() == ["a.db", "late", "out"])
    }

    @Test("K7 one that is stopped leaves nothing behind", arguments: TransferFormat.allCases)
    func stopped(_ format: TransferFormat) throws {
        let ground = try Ground()
        let store = try ground.sqlite("a.db")
        try store.enqueue((0..<2500).map { request("t\($0)") }, to: "q")
        let asked = Protected<[BulkProgress]>([])
        let sink = try sink(format, ground.path("out"))
        let report = try TransferExport(from: try ground.source(store), to: sink).run {
            progress in
            asked.withLock { $0.append(progress) }
            return progress.done == 2000 ? .stop : .goOn
        }
        #expect(report.isStopped)
        #expect(try ground.names() == ["a.db"])
        #expect(asked.withLock { $0.map(\.done) } == [0, 1000, 2000])
        #expect(asked.withLock { $0.allSatisfy { $0.total == 2500 } })
    }

    @Test(
        "P6 an exported folder is the SDK's, byte for byte; what it does not hold is named"
    )
    func folder() throws {
        let ground = try Ground()
        let store = try ground.sqlite("a.db")
        try store.enqueue(
            [
                request("identify") { $0.groupStart = "p/1" },
                request("track") {
                    ($0.groupMembers, $0.priority, $0.label) = (["p/1"], 3, "l")
                    ($0.notBefore, $0.attempts) = (at(50), 2)
                }, request("gone"),
            ], to: "q")
        try store.act { mutation in
            try mutation.apply(.giveUp(reason: "no"), to: try mutation.store.requireTask(3))
        }
        let report = try TransferExport(
            from: try ground.source(store), to: try FolderSink(path: ground.path("out/"))
        ).run()
        #expect(report.tasks == 2)
        #expect(
            report.losses.map { "\($0.what) \($0.tasks)" } == [
                "priority 1", "timer 1", "label 1", "failed tasks 1",
            ])
        let identity = try store.readBlocking { try $0.storeRecord().identity }
        let ids = [1, 2].map { TaskOrigin.local($0, in: identity) }
        #expect(
            try ground.text("out/inventory.json")
                == "[{\"created_at\":1800000000,\"group_start\":\"p\\/1\","
                + "\"task_persisted_id\":\"\(ids[0])\",\"task_type\":\"identify\"},"
                + "{\"created_at\":1800000000,\"group_member\":[\"p\\/1\"],"
                + "\"task_persisted_id\":\"\(ids[1])\",\"task_type\":\"track\"}]")
        #expect(
            try ground.text("out/tasks/\(ids[1]).json")
                == "{\"data\":\"eyJuIjoxfQ==\",\"run_results\":{\"total_runs\":2},"
                + "\"storage_id\":\"\(ids[1])\",\"type\":\"track\"}")
        #expect(try Files.list(ground.path("out")) == ["inventory.json", "tasks"])
    }

    @Test("P6 a folder that went out as lines comes back with the same ids, byte for byte")
    func folderAsLines() throws {
        let ground = try Ground()
        let first = try ground.folder("one")
        try first.enqueue(
            [request("a") { $0.groupStart = "g" }, request("b") { $0.groupMembers = ["g"] }],
            to: "one")
        try ground.lines(of: first, "a.jsonl")
        let second = try ground.folder("two")
        #expect(try ground.importLines("a.jsonl", into: second, queue: "two").added == 2)
        #expect(try ground.text("two/inventory.json") == ground.text("one/inventory.json"))
        let names = try Files.list(ground.path("one/tasks"))
        #expect(try Files.list(ground.path("two/tasks")) == names && names.count == 2)
        for name in names {
            #expect(try ground.text("two/tasks/\(name)") == ground.text("one/tasks/\(name)"))
        }
        #expect(try ground.importLines("a.jsonl", into: first, queue: "one").known == 2)
        // The id identifies a task that ended in the folder since.
        try first.act { mutation in
            let task = try mutation.store.requireTask(2)
            try mutation.apply(.giveUp(reason: "done"), to: task)
        }
        try first.writeBlocking { try $0.remove([2]) }
        #expect(try ground.importLines("a.jsonl", into: first, queue: "one").known == 2)
        #expect(try ground.importStore(first, into: second, queue: "two").known == 1)
    }

    @Test("P6 a folder holds one queue")
    func twoQueues() throws {
        let ground = try Ground()
        let store = try ground.sqlite("a.db")
        try store.enqueue([request("t")], to: "p")
        try store.enqueue([request("t")], to: "q")
        let error = #expect(throws: QueueError.self) {
            let sink = try FolderSink(path: ground.path("out"))
            return try TransferExport(from: try ground.source(store), to: sink).run()
        }
        #expect(error?.code == .notLegal)
        #expect(try ground.names() == ["a.db"])
    }

    @Test("P6 the names of files say their format")
    func names() {
        let names = [
            "a.jsonl", "a.db", "a.sqlite", "out/", "-", "a.ndjson", "a.har", "a", "a.json",
        ]
        let formats: [TransferFormat?] = [
            .lines, .sqlite, .sqlite, .folder, .lines, .lines, .har, nil, nil,
        ]
        #expect(names.map { TransferFormat(ofName: $0) } == formats)
    }
}
