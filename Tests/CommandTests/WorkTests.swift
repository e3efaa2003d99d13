import SluiceModel
import SluicePlatform
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
}
