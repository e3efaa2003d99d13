import SluiceControl
import SluiceModel
import SluiceStore
import SluiceSystem
import SluiceTerminalUI
import Testing

@testable import SluiceConsole

@Suite("The output of a running attempt on screen")
struct OutputTests {
    private static let now = LivingScene.now

    /// A console at #930, which a command runs, with a folder for its output.
    private func withBench(_ body: (Bench, _ path: String) throws -> Void) throws {
        let folder = try Files.makeTemporaryDirectory(prefix: "sluice-output-")
        defer { try? Files.removeTree(folder) }
        try Files.makeDirectory("\(folder)/output")
        let store = try LivingScene.store()
        try store.writeBlocking { writer in
            let found = try writer.task(930)
            let task = try #require(found)
            let lease = try #require(task.running)
            var attempt = AttemptRecord(task: task, lease)
            attempt.childPID = 4712
            try writer.put([attempt])
        }
        let bench = Bench(store: store, size: Size(width: 160, height: 48), now: Self.now)
        bench.runFolder = folder
        bench.press("h j l")
        try body(bench, "\(folder)/output/child-1-930-1")
    }

    private func write(_ text: String, to path: String) throws {
        try Files.writeAtomically(Array(text.utf8), to: path)
    }

    @Test("the preview shows it with its age, and reads it each second while nothing is committed")
    func preview() throws {
        try withBench { bench, path in
            #expect(bench.screen.contains("#930 push") && !bench.screen.contains("output"))
            try write("rendering 1\n", to: path)
            bench.wait(milliseconds: 1000)
            #expect(bench.screen.contains("output  now"), "\(bench.screen)")
            #expect(bench.screen.contains("rendering 1"))
            try write("rendering 1\nrendering 2\n", to: path)
            bench.wait(milliseconds: 1000)
            #expect(bench.screen.contains("rendering 2"), "\(bench.screen)")
            let status = try #require(try Files.status(path))
            bench.machineNow = status.modifiedNanoseconds / 1_000_000 + 90_000
            bench.wait(milliseconds: 1000)
            #expect(bench.screen.contains("output  1m 30s ago"), "\(bench.screen)")
            try Files.remove(path)
            bench.wait(milliseconds: 1000)
            #expect(!bench.screen.contains("rendering"), "\(bench.screen)")
        }
    }

    @Test("the page of the task follows its end until a person scrolls")
    func page() throws {
        try withBench { bench, path in
            try write((1...300).map { "line \($0)\n" }.joined(), to: path)
            bench.press("Enter")
            #expect(bench.screen.contains("line 300"), "\(bench.screen)")
            try write((1...400).map { "line \($0)\n" }.joined(), to: path)
            bench.wait(milliseconds: 1000)
            #expect(bench.screen.contains("line 400"), "\(bench.screen)")
            bench.press("g")
            #expect(!bench.screen.contains("line 400"))
            try write((1...500).map { "line \($0)\n" }.joined(), to: path)
            bench.wait(milliseconds: 1000)
            #expect(!bench.screen.contains("line 500"))
            bench.press("G")
            #expect(bench.screen.contains("line 500"), "\(bench.screen)")
        }
    }

    @Test("codes of terminals never reach the terminal, and bad bytes are shown as such")
    func hostile() throws {
        try withBench { bench, path in
            let bytes =
                Array("\u{1B}[31mred\u{1B}[0m \u{1B}]0;title\u{7}\n10%\r20%\r30%\n".utf8)
                + [0xFF, 0xFE, 0x0A] + Array("the end\n".utf8)
            try Files.writeAtomically(bytes, to: path)
            bench.wait(milliseconds: 1000)
            #expect(bench.screen.contains("red ␛]0;title␇"), "\(bench.screen)")
            #expect(bench.screen.contains("30%") && !bench.screen.contains("20%"))
            #expect(bench.screen.contains("\u{FFFD}\u{FFFD}") && bench.screen.contains("the end"))
            #expect(!bench.screen.unicodeScalars.contains { $0.value < 32 && $0 != "\n" })
        }
    }

    @Test("the former part comes first; of a long line without an end the end is in sight")
    func parts() throws {
        try withBench { bench, path in
            try write(String(repeating: "a", count: 65_000), to: "\(path).1")
            try write(String(repeating: "b", count: 3000) + "the end", to: path)
            bench.press("Enter")
            #expect(bench.screen.contains("bbbb") && bench.screen.contains("the end"))
            bench.press("g")
            #expect(bench.screen.contains("output, the last 64KiB  now"), "\(bench.screen)")
            let found = try bench.store.readBlocking { try $0.task(930) }
            let task = try #require(found)
            let tail = try #require(try AttemptTail(of: task, runFolder: bench.runFolder))
            #expect(tail.bytes.count == AttemptTail.limitBytes && tail.isCut)
            #expect(tail.bytes.suffix(7).elementsEqual("the end".utf8))
        }
    }

    @Test("65,536 empty lines are the last 1,000 of them")
    func lines() throws {
        try withBench { bench, path in
            try write(String(repeating: "\n", count: 65_536), to: path)
            bench.press("Enter g")
            #expect(bench.screen.contains("output, the last 1,000 lines  now"), "\(bench.screen)")
            #expect(bench.state.scene?.output?.lines.count == 1000)
        }
    }

    @Test("a folder that others may enter is not read, and the page says why")
    func refused() throws {
        try withBench { bench, path in
            try write("secret", to: path)
            let folder = Files.parent(of: path)
            try Files.removeTree(folder)
            try Files.makeDirectory(folder, mode: 0o755)
            try write("planted", to: path)
            bench.press("Enter")
            #expect(!bench.screen.contains("planted"))
            #expect(bench.screen.contains("its output cannot be shown: "), "\(bench.screen)")
            #expect(bench.screen.contains("no folder of this user alone"), "\(bench.screen)")
        }
    }
}
