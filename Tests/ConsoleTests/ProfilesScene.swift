import SluiceModel
import SluiceStore
import SluiceTerminalUI

@testable import SluiceConsole

extension Bench {
    /// A queue `profiles` with waiting tasks of these types in one group, and a worker.
    static func profiles(
        _ types: [String], at start: Timestamp, _ glyphs: GlyphSet, isReadOnly: Bool
    ) throws -> (bench: Bench, runner: ProcessID) {
        let store = MemoryStore()
        let runner = try store.writeBlocking { store in
            try store.put(QueueRecord(name: "profiles", createdAt: start))
            return try store.transact(at: start) { mutation in
                let requests = types.map { type in
                    var request = EnqueueRequest(type: type, payload: [])
                    request.groupMembers = ["kim"]
                    return request
                }
                _ = try mutation.enqueue(requests, to: "profiles")
                var process = ProcessRecord(
                    id: 0, role: .runner, host: "h", bootID: "b", pid: 1, lockName: "l",
                    attachedAt: start)
                process.slots = 8
                return try mutation.attach(process).id
            }
        }
        let bench = Bench(
            store: store, size: Size(width: 118, height: 30), now: start, isReadOnly: isReadOnly,
            glyphs: glyphs)
        return (bench, runner)
    }
}
