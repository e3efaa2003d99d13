import SluiceModel
import SluiceSystem
import Testing

@testable import SluiceCommand

/// A worker before it attaches.
@Suite("work at the command line")
struct WorkTests {
    @Test(
        "P2 a worker that begins on a full disk or at a store that is held waits, and says so once")
    func waits() throws {
        let folder = try Files.makeTemporaryDirectory(prefix: "sluice-work")
        defer { try? Files.removeTree(folder) }
        let handlers = "\(folder)/handlers.json"
        try Files.writeAtomically(
            Array(#"{"handlers":{"*":{"simulate":{}}}}"#.utf8), to: handlers)
        let bench = Bench()
        #expect(bench("enqueue q t").exit == .done)
        let held = QueueError(.storeBusy, "it is held by another process")
        let full = QueueError(.diskFull, "its disk is full")
        bench.refusals.withLock { $0 = [held, held, full] }
        let words = ["work", "--handlers", handlers, "--until-empty", "--quiet"]
        let outcome = bench.run(words)
        #expect(outcome.exit == .done)
        #expect(
            outcome.errors == """
                sluice: it is held by another process: the worker waits for that
                sluice: its disk is full: the worker waits for that

                """)
        #expect(bench("list q --json").json["tasks"] == .array([]))
        bench.refusals.withLock { $0 = [QueueError(.denied, "it may not be read")] }
        #expect(bench.run(words).exit == .usage)
    }

    @Test(
        "P2 a worker whose output cannot be written works to its end, and says so then",
        arguments: [28, 32] as [Int32])
    func unwritten(_ number: Int32) throws {
        let folder = try Files.makeTemporaryDirectory(prefix: "sluice-work")
        defer { try? Files.removeTree(folder) }
        let handlers = "\(folder)/handlers.json"
        try Files.writeAtomically(
            Array(#"{"handlers":{"*":{"simulate":{}}}}"#.utf8), to: handlers)
        let bench = Bench()
        #expect(bench("enqueue q t").exit == .done)
        bench.refusedOutput.withLock { $0 = SystemError(.write, reason: .code(number)) }
        let outcome = bench.run(["work", "--handlers", handlers, "--until-empty"])
        bench.refusedOutput.withLock { $0 = nil }
        #expect(bench("list q --json").json["tasks"] == .array([]))
        // A reader that closes a pipe wants no more of it.
        let isFull = number == 28
        #expect(outcome.exit == (isFull ? .unwritten : .done), "\(outcome)")
        #expect(outcome.errors.contains("the output could not be written") == isFull)
    }
}
