import SluiceConsole
import SluiceSystem
import Testing

@testable import SluiceCommand

@Suite("messages to the screen's thread")
struct ScreenInboxTests {
    @Test("a notice that the screen holds is one with later ones, which wake it no more")
    func notices() throws {
        let inbox = try ScreenInbox()
        #expect(!inbox.take().hasNotice && !inbox.signal.drain())
        inbox.notice()
        #expect(inbox.signal.drain() && inbox.take().hasNotice)
        inbox.notice()
        inbox.notice()
        #expect(!inbox.signal.drain(), "a busy store would draw the screen at each commit")
        inbox.put(.message(.storeChanged))
        #expect(inbox.signal.drain())
        let (items, hasNotice) = inbox.take()
        #expect(items.count == 1 && hasNotice)
        inbox.takeNotice()
        #expect(inbox.take().items.isEmpty && !inbox.take().hasNotice)
        // A commit after that is news.
        inbox.notice()
        #expect(inbox.signal.drain() && inbox.take().hasNotice)
    }
}
