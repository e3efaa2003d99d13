import Platform
import Sluice
import Testing

/// `doctor` finds what does not follow from the tasks, and makes it again.
@Suite("doctor")
struct DoctorTests {
    @Test("T2 P3 wrong index columns are found without a change, and mended with repair")
    func repairs() throws {
        let folder = try Files.makeTemporaryDirectory(prefix: "sluice-doctor")
        let app = try QueueClient.open("\(folder)/a.db")
        var start = EnqueueRequest(type: "start")
        start.groupStart = "g"
        var member = EnqueueRequest(type: "member")
        member.groupMembers = ["g"]
        try app.control.performBlocking(.enqueue(queue: "q", [start, member, member]))
        #expect(try app.control.examine(repairs: false).problems == [])
        // A member that says nobody holds it: what a lost write would leave behind.
        try app.store.writeBlocking { store in
            var task = try store.requireTask(2)
            task.isHeld = false
            try store.update([task])
        }
        let seen = try app.control.examine(repairs: false)
        #expect(seen.problems == ["1 tasks of q were wrongly held, or wrongly free"])
        #expect(seen.tasks == 3)
        #expect(try app.store.readBlocking { try $0.requireTask(2).isHeld } == false)
        #expect(try app.control.examine(repairs: true).isRepaired)
        #expect(try app.store.readBlocking { try $0.requireTask(2).isHeld })
        #expect(try app.control.examine(repairs: false).problems == [])
        let counts = try app.store.readBlocking { try $0.counts(queue: "q") }
        #expect(counts.lanes == [.ready: 1, .held: 2])
    }
}
