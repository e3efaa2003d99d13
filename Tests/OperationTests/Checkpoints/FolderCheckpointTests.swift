import SluiceControl
import SluiceModel
import SluiceStore
import Testing

/// Checkpoints of a Customer.io folder (P6).
@Suite("checkpoints of a folder's tasks")
struct FolderCheckpointTests {
    @Test("G5 P6 CIO-115 in a folder tasks come again under their UUIDs")
    func folder() throws {
        let bench = try Bench(.folder)
        try bench.perform(.setQueue("q", [.keepFinished(.none)]))
        let ids = try bench.enqueue(3)
        func names() throws -> [String?] {
            try bench.read { store in try ids.map { try store.naming?.folderID(of: $0) } }
        }
        let before = try names()
        try bench.perform(.takeCheckpoint(CheckpointRequest("a")))
        let runner = try bench.attach()
        try bench.settle(try bench.claimOne(runner))
        try bench.settle(try bench.claimOne(runner), .giveUp(error: "no"))
        try bench.perform(.delete([TaskTarget(ids[2])], cancelsRunning: false, members: nil))
        try bench.enqueue(1)
        try bench.perform(.restore("a"))
        #expect(try bench.waiting() == ids)
        #expect(try names() == before && !before.contains(nil))
        #expect(try bench.read { try $0.problems(.surroundings) } == [])
    }
}
