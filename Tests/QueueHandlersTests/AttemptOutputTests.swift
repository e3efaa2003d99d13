import SluiceModel
import SluiceRunner
import SluiceStore
import SluiceSystem
import Testing

@testable import SluiceHandlers

@Suite("The output of a running attempt", .timeLimit(.minutes(10)))
struct AttemptOutputTests {
    private func kept(_ lock: String) -> [UInt8] {
        let path = current(lock)
        return ["\(path).1", path].flatMap { (try? Files.read($0, limitBytes: 1 << 20)) ?? [] }
    }

    private func folder(_ lock: String) -> String { "\(Files.parent(of: lock))/output" }

    private func current(_ lock: String) -> String {
        "\(folder(lock))/\(Files.lastName(of: lock).dropLast(5))"
    }

    private func files(_ lock: String) -> [String] { (try? Files.list(folder(lock))) ?? [] }

    /// Waits for output that comes by another pipe than the report.
    private func wait(until condition: () -> Bool) async {
        while !condition() { await Task.yield() }
    }

    @Test("both streams of a command can be read while it runs, and go with its attempt")
    func command() async throws {
        try await Shell.withLockPath { lock in
            let shell = Shell(
                "echo one; echo two >&2; printf half; exec sleep 600", lock: lock)
            await wait { kept(lock).count >= 12 }
            let text = String(decoding: kept(lock), as: UTF8.self)
            #expect(text.contains("one\n") && text.contains("two\n") && text.contains("half"))
            let file = try #require(try Files.status(current(lock)))
            let parent = try #require(try Files.status(folder(lock)))
            #expect(file.mode & 0o777 == 0o600 && parent.mode & 0o777 == 0o700)
            shell.running.kill()
            _ = await shell.outcome
            #expect(files(lock).isEmpty)
            #expect(!shell.report.seen.log.contains { $0.contains("is not shown") })
        }
    }

    @Test("a command that prints nothing makes no file and no folder")
    func silent() async throws {
        try await Shell.withLockPath { lock in
            _ = await Shell("exit 0", lock: lock).outcome
            #expect(!Files.exists(folder(lock)))
        }
    }

    @Test("of 32 MiB without a newline the end is kept, in two files of 64 KiB at most")
    func much() async throws {
        try await Shell.withLockPath { lock in
            let shell = Shell(
                "head -c 33554432 /dev/zero; printf 'the end'; exec sleep 600", lock: lock)
            let end = Array("the end".utf8)
            await wait { kept(lock).suffix(end.count).elementsEqual(end) }
            #expect(kept(lock).count > 1 << 16)
            for name in files(lock) {
                let size = try Files.status("\(folder(lock))/\(name)")?.sizeBytes ?? 0
                #expect(size <= 1 << 16, "\(name)")
            }
            #expect(files(lock).count == 2)
            shell.running.kill()
            _ = await shell.outcome
            #expect(files(lock).isEmpty)
        }
    }

    @Test("where the folder is no private one, nothing is written and the command ends as it would")
    func refused() async throws {
        try await Shell.withLockPath { lock in
            let other = "\(Files.parent(of: lock))/other"
            try Files.makeDirectory(other)
            let traps: [() async throws -> Void] = [
                { try Files.writeAtomically([], to: folder(lock)) },
                { try await Shell.link(other, at: folder(lock)) },
                { try Files.makeDirectory(folder(lock), mode: 0o755) },
            ]
            for trap in traps {
                try await trap()
                let shell = Shell("echo one; echo two >&2", lock: lock)
                #expect(await shell.outcome == .success(result: Array("one\n".utf8)))
                let line = try #require(shell.report.seen.log.first)
                #expect(line.hasPrefix("its output is not shown while it runs: "), "\(line)")
                #expect(line.contains("no folder of this user alone"), "\(line)")
                #expect(shell.report.seen.log.count == 1)
                #expect(try Files.list(other).isEmpty)
                #expect(files(lock).isEmpty)
                try Files.remove(folder(lock))
            }
        }
    }

    @Test("a link in the place of a file is replaced, and its target keeps its bytes")
    func link() async throws {
        try await Shell.withLockPath { lock in
            let target = "\(Files.parent(of: lock))/target"
            try Files.writeAtomically(Array("mine".utf8), to: target)
            try Files.makeDirectory(folder(lock))
            try await Shell.link(target, at: current(lock))
            _ = await Shell("echo one", lock: lock).outcome
            #expect(try Files.read(target, limitBytes: 100) == Array("mine".utf8))
            #expect(files(lock).isEmpty)
        }
    }

    @Test("a disk that fails under it loses the output, not the attempt, which says so")
    func broken() async throws {
        try await Shell.withLockPath { lock in
            // A folder in the place of the former part: it cannot be replaced.
            try Files.makeDirectory("\(current(lock)).1/held", withParents: true)
            let script =
                "head -c 1000000 /dev/zero; until ls '\(folder(lock))' | grep -q lost; "
                + "do sleep 0.02; done; printf done >&2; exit 1"
            let shell = Shell(script, lock: lock)
            #expect(await shell.outcome == .failed("done"))
            let lines = shell.report.seen.log.filter { $0.contains("is not shown while it runs") }
            #expect(lines.count == 1, "\(shell.report.seen.log)")
            #expect(files(lock) == ["\(Files.lastName(of: current(lock))).1"])
        }
    }

    @Test("a program that stays shows what it prints in its task, and nothing between tasks")
    func process() async throws {
        try await Shell.withLockPath { lock in
            let handler = ProcessHandlerTests.handler(
                #"""
                while \#(ProcessHandlerTests.read); do
                  echo "begun $id" >&2
                  \#(ProcessHandlerTests.done)
                done
                """#)
            let first = ProcessHandlerTests.begin(handler, 1, lock: lock)
            _ = await first.report.outcome
            #expect(files(lock).isEmpty)
            let hanging = ProcessHandlerTests.handler(
                #"""
                \#(ProcessHandlerTests.read); echo "begun $id" >&2; exec sleep 600
                """#)
            let other = "\(Files.parent(of: lock))/other.lock"
            let second = ProcessHandlerTests.begin(hanging, 2, lock: other)
            await wait { kept(other).count >= 8 }
            #expect(String(decoding: kept(other), as: UTF8.self) == "begun 2\n")
            second.running.kill()
            _ = await second.report.outcome
            #expect(files(lock).isEmpty)
        }
    }
}
