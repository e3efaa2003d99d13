import SluiceModel
import SluiceStore
import SluiceSystem
import Testing

@testable import SluiceSQL

@Suite("How writers of a file let each other in")
struct WaitingTests {
    @Test("D10 who waits for its turn is seen by the others, and by itself alone no longer")
    func seen() throws {
        let place = try Place()
        try place.openWithQueue().close()
        let (busy, waiting) = (try RunFolder(of: place.path), try RunFolder(of: place.path))
        #expect(!busy.isWaitedFor)
        waiting.waitForTurn()
        #expect(busy.isWaitedFor)
        #expect(busy.isWaitedFor, "asking must not end it")
        waiting.endWait()
        #expect(!busy.isWaitedFor)
    }

    @Test("D10 of those who wait one has the turn to ask, until it is in or gives up")
    func turn() throws {
        let place = try Place()
        try place.openWithQueue().close()
        let (first, second) = (try RunFolder(of: place.path), try RunFolder(of: place.path))
        #expect(first.acquireTurn() && first.acquireTurn())
        #expect(!second.acquireTurn())
        first.endWait()
        #expect(second.acquireTurn() && !first.acquireTurn())
        let before = first.logStatus
        let store = try place.open()
        _ = try store.writeBlocking { try $0.insertTasks() }
        #expect(first.logStatus != before, "a commit must be seen by who waits")
        store.close()
    }

    @Test("D10 a program that holds the lock is named by its number")
    func blocker() throws {
        let place = try Place()
        try place.openWithQueue().close()
        let reader = try Connection(path: place.path, mode: .readWrite)
        try reader.beginReading()
        _ = try reader.number("SELECT count(*) FROM sluice_queue")
        #expect(FileBlocker(place.path) == nil)
    }

    @Test("D10 a writer that finds the file locked is seen until it has it")
    func writer() throws {
        let place = try Place()
        try place.openWithQueue().close()
        let holder = try Connection(path: place.path, mode: .readWrite)
        let folder = try RunFolder(of: place.path)
        let other = try RunFolder(of: place.path)
        try holder.beginWriting()
        let isIn = Protected(false)
        let path = place.path
        let thread = try Thread(name: "waits") {
            guard let writer = try? Connection(path: path, mode: .readWrite) else { return }
            writer.meet(at: other)
            try? writer.beginWriting()
            isIn.withLock { $0 = true }
            try? writer.commit(keeping: false)
        }
        while !folder.isWaitedFor {}
        #expect(!isIn.withLock { $0 })
        try holder.commit(keeping: false)
        while !isIn.withLock({ $0 }) {}
        #expect(!folder.isWaitedFor)
        _ = thread
    }
}
