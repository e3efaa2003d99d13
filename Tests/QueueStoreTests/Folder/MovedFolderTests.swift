import SluiceFolderStore
import SluiceModel
import SluiceStore
import SluiceSystem
import Testing

@Suite("A folder that goes")
struct MovedFolderTests {
    @Test("K8 P6 a folder that goes while a writer waits for its turn is said to have gone")
    func goesBeforeTheTurn() throws {
        let folder = try ReadingTests.sample()
        let (first, second) = (try folder.open(), try folder.open())
        try first.change(1) { _ in }
        let path = try Files.realPath(folder.path)
        let failure = Protected<QueueError?>(nil)
        let waiter = Protected<SluiceSystem.Thread?>(nil)
        // Other tests cover the first store.
        _ = Result {
            try first.writeBlocking { _ in
                let thread = try Thread(name: "waits") {
                    do {
                        try second.writeBlocking { _ in }
                    } catch {
                        failure.withLock { $0 = error as? QueueError }
                    }
                }
                waiter.withLock { $0 = thread }
                // Both have it open: the second waits for the lock.
                let end = SystemClock.monotonicMilliseconds() + 10_000
                while try Self.timesOpen(path) < 2, SystemClock.monotonicMilliseconds() < end {
                    _ = try Poll.wait(fds: [], timeoutMilliseconds: 1)
                }
                #expect(try Self.timesOpen(path) == 2)
                try Files.rename(path, to: "\(path)-elsewhere")
            }
        }
        waiter.withLock { $0 }?.join()
        let told = try #require(failure.withLock { $0 })
        #expect(told.code == .noStore)
        #expect(told.message == "\(folder.path) was removed or replaced while it was open")
    }

    @Test("K8 P6 whoever reads while a folder goes is told of the folder, not of its sluice.db")
    func goesWhileRead() throws {
        for _ in 0..<100 {
            let folder = try ReadingTests.sample()
            let store = try folder.open()
            defer { store.close() }
            try store.change(1) { _ in }
            let path = folder.path
            let mover = try Thread(name: "moves") {
                try? Files.rename(path, to: "\(path)-elsewhere")
            }
            defer { mover.join() }
            let told = #expect(throws: QueueError.self) {
                while true { _ = try store.readBlocking { try $0.counts() } }
            }
            #expect(told?.message == "\(path) was removed or replaced while it was open")
        }
    }

    /// How many descriptors of this process lead to a path.
    private static func timesOpen(_ path: String) throws -> Int {
        try Files.list("/proc/self/fd").count { number in
            (try? Files.realPath("/proc/self/fd/\(number)")) == path
        }
    }
}
