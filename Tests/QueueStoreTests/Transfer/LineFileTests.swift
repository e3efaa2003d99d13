import SluiceControl
import SluiceModel
import SluiceSQL
import SluiceStore
import SluiceSystem
import Testing

@testable import SluiceTransfer

@Suite("Files of lines that are none")
struct LineFileTests {
    private static let line = "{\"type\":\"t\",\"queue\":\"q\"}\n"

    private func run(_ words: [String]) throws {
        let child = try ChildProcess.spawn(
            Spawn(
                words[0], Array(words.dropFirst()), environment: ProcessIdentity.environment(),
                output: .null, errors: .null))
        _ = try Poll.wait(
            fds: [PollInterest(child.pidfd.number)], timeoutMilliseconds: 10_000)
        #expect(try child.reap() == .code(0))
    }

    @Test("K7 what is no file is refused at once, and by its name")
    func kinds() throws {
        let ground = try Ground()
        let store = try ground.sqlite("a.db")
        try run(["mkfifo", ground.path("pipe")])
        try run(["ln", "-s", "loop", ground.path("loop")])
        try run(["ln", "-s", ground.path("pipe"), ground.path("to pipe")])
        try Files.makeDirectory(ground.path("folder"))
        let names = ["pipe", "loop", "to pipe", "folder", "none"].map(ground.path)
        for path in names + ["/dev/zero", "/dev/null", ""] {
            let error = #expect(throws: QueueError.self) { try LinesSource(path: path, now: at(0)) }
            #expect(error?.code == .badValue && error?.fix.isEmpty == false, "\(path)")
            #expect(error?.message.contains(path) ?? false)
        }
        try ground.write(Self.line, to: "lines")
        try run(["ln", "-s", "lines", ground.path("to lines")])
        #expect(try ground.importLines("to lines", into: store).added == 1)
    }

    @Test("K7 a stream without a line's end is refused before it fills a disk")
    func endless() throws {
        let zeros = FileDescriptor.ReadResult.bytes(Array(repeating: 0, count: 1000))
        var chunks = 0
        let error = #expect(throws: SystemError.self) {
            try LineFile.copy(lineLimitBytes: 10_000) { () throws(SystemError) in
                chunks += 1
                return zeros
            }
        }
        #expect(chunks == 11 && error?.sentence.contains("a line") ?? false)
        var lines = Array(repeating: Array(Self.line.utf8), count: 1000)
        let copy = try LineFile.copy(lineLimitBytes: 100) { () throws(SystemError) in
            lines.popLast().map(FileDescriptor.ReadResult.bytes) ?? .end
        }
        #expect(try copy.status().sizeBytes == Int64(1000 * Self.line.utf8.count))
    }

    @Test("K7 a line may be as long as payloads may, and a longer one takes no memory")
    func longLines() throws {
        let ground = try Ground()
        let store = try ground.sqlite("a.db")
        func line(_ mebibytes: Int) -> String {
            "{\"type\":\"t\",\"payload\":\"\(String(repeating: "x", count: mebibytes << 20))\"}"
        }
        try ground.write(line(21), to: "long.jsonl")
        let error = #expect(throws: QueueError.self) {
            try ground.importLines("long.jsonl", into: store, queue: "q")
        }
        #expect(error?.code == .badValue && error?.message.hasPrefix("line 1: ") ?? false)
        try store.writeBlocking { writer in
            var queue = QueueRecord(name: "q", createdAt: at(0))
            queue.settings.maximumPayloadBytes = 30 << 20
            try writer.put(queue)
        }
        #expect(try ground.importLines("long.jsonl", into: store, queue: "q").added == 1)
        // The line of a queue says so too.
        try ground.lines(of: store, "out.jsonl")
        let other = try ground.sqlite("b.db")
        #expect(try ground.importLines("out.jsonl", into: other).added == 1)
    }

    @Test("K7 a file that grows while it is read: before the end of the first look nothing came in")
    func growing() throws {
        let ground = try Ground()
        let store = try ground.sqlite("a.db")
        // The last line is not whole yet.
        let text = String(repeating: Self.line, count: 2500) + "{\"type\":"
        for (moment, added) in [(1000, 0), (3500, 2000)] {
            let name = "\(moment).jsonl"
            try ground.write(moment == 1000 ? text : String(text.dropLast(8)), to: name)
            let path = ground.path(name)
            @Sendable func grow(_ progress: BulkProgress) -> BulkNext {
                guard progress.done >= moment else { return .goOn }
                // O_WRONLY and O_APPEND.
                let file = try? FileDescriptor(opening: path, flags: 0o1 | 0o2000)
                let rest = moment == 1000 ? "\"t\",\"queue\":\"q\"}\n" : Self.line
                try? file?.writeAll(Array(rest.utf8))
                return .goOn
            }
            if added == 0 {
                let error = #expect(throws: QueueError.self) {
                    try ground.importLines(name, into: store, watching: grow)
                }
                #expect(error?.message == "\(path) changed while it was read")
            } else {
                let report = try ground.importLines(name, into: store, watching: grow)
                #expect(report.error?.message == "\(path) changed while it was read")
                #expect(report.added >= added)
            }
        }
        #expect(try ground.importLines("3500.jsonl", into: store).error?.code == nil)
    }
}
