import Testing

@testable import SluiceRunner

@Suite("When a worker looks")
struct PollBackoffTests {
    @Test("A1 a look comes at once, and later where the last ones led to nothing")
    func backoff() {
        var backoff = PollBackoff()
        #expect(backoff.dueAt(isBusy: false) == nil)
        backoff.isWanted = true
        backoff.look(at: 1000)
        #expect(backoff.dueAt(isBusy: false) == nil)
        backoff.isWanted = true
        #expect(backoff.dueAt(isBusy: false) == 1002)
        #expect(backoff.dueAt(isBusy: true) == 1050)
        for number in 0..<10 { backoff.look(at: 1000 + Int64(number)) }
        backoff.isWanted = true
        #expect(backoff.dueAt(isBusy: false) == 1019)
        backoff.isFirst = false
        backoff.found(4, of: 64)
        #expect(backoff.dueAt(isBusy: false) == 1019)
        backoff.found(5, of: 64)
        #expect(backoff.dueAt(isBusy: false) == 1011)
    }

    @Test("P7 a busy worker looks later while its commits read the requests to stop its tasks")
    func hearing() {
        var backoff = PollBackoff()
        backoff.look(at: 1000)
        backoff.isWanted = true
        backoff.hears(at: 1040)
        #expect(backoff.dueAt(isBusy: true) == 1090)
        backoff.hears(at: 1249)
        #expect(backoff.dueAt(isBusy: true) == 1250, "other news wait no longer")
        #expect(backoff.dueAt(isBusy: false) == 1002, "a free slot waits for no stop")
        backoff.look(at: 1300)
        backoff.isWanted = true
        #expect(backoff.dueAt(isBusy: true) == 1350)
    }

    @Test("A1 who rests claims without a look while claims give something and nobody is ahead")
    func atOnce() {
        var backoff = PollBackoff()
        backoff.isWanted = true
        #expect(!backoff.mayClaim(at: 1000), "nothing was ever claimed")
        backoff.found(1, of: 64)
        #expect(backoff.mayClaim(at: 1000))
        backoff.look(at: 1000)
        #expect(!backoff.mayClaim(at: 1001), "nothing new was told")
        backoff.isWanted = true
        #expect(!backoff.mayClaim(at: 1001), "others commit all the time")
        #expect(backoff.mayClaim(at: 1002))
        backoff.isFirst = false
        #expect(!backoff.mayClaim(at: 1002), "another worker takes the same")
        backoff.isFirst = true
        backoff.found(0, of: 64)
        #expect(!backoff.mayClaim(at: 1002), "the last one claimed in vain")
    }

    @Test("P7 T4 a worker that applications feed claims without a look, until two claims are vain")
    func fed() {
        var backoff = PollBackoff()
        backoff.isWanted = true
        backoff.foundInbox()
        #expect(backoff.isFed && backoff.mayClaim(at: 1000))
        backoff.found(0, of: 64)
        #expect(backoff.mayClaim(at: 1000), "a commit of its own is no row")
        backoff.found(1, of: 64)
        backoff.found(0, of: 64)
        #expect(backoff.mayClaim(at: 1000), "a claim with tasks renews it")
        backoff.isFirst = false
        #expect(!backoff.mayClaim(at: 1000), "another worker takes the same")
        backoff.isFirst = true
        backoff.found(0, of: 64)
        #expect(!backoff.isFed && !backoff.mayClaim(at: 1000))
        backoff.found(1, of: 64)
        #expect(!backoff.isFed, "its tasks come from elsewhere")
    }
}
