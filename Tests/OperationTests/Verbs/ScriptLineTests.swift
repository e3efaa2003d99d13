import SluiceControl
import SluiceModel
import SluiceStore
import Testing

/// The script lines of undo and redo.
@Suite("lines of scripts")
struct ScriptLineTests {
    private func scripts(_ bench: Bench) throws -> [String?] {
        let now = bench.now
        return try bench.read { store in
            try Reading(store, now: now).commandEvents(LogFilter()).map(\.script)
        }
    }

    @Test("G7 each slice that an undo or a redo took back is a verb of its own in a script")
    func slices() throws {
        let bench = try Bench(.memory)
        try bench.perform(Bench.delete(try bench.fill(1001)))
        try bench.perform(.undo(event: nil))
        try bench.perform(.redo)
        let redone = try #require(try bench.events().last?.bulk)
        try bench.perform(.undo(event: redone))
        #expect(
            try scripts(bench).dropFirst(2) == [
                "sluice undo", "sluice undo", "sluice redo", "sluice redo",
                "sluice undo \(redone + 1)", "sluice undo \(redone)",
            ])
    }

    @Test("G7 an undo that passed a verb over is in a script, and does not end it")
    func passedOver() throws {
        let bench = try Bench(.memory)
        let targets = try bench.fill(2)
        try bench.perform(.priority([targets[0]], 3))
        try bench.perform(.priority([targets[1]], 3))
        try bench.perform(.priority([TaskTarget(targets[1].id)], 4), by: "bo")
        #expect(try bench.refusal(.undo(event: nil)) == .changed)
        try bench.perform(.undo(event: nil))
        #expect(try scripts(bench).suffix(2) == ["sluice undo || :", "sluice undo"])
    }
}
