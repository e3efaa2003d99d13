import Testing

@testable import SluiceRunner

@Suite("When a runner looks")
struct PollBackoffTests {
    @Test("A1 a look comes at once, and later where the last ones led to nothing")
    func pace() {
        var pace = PollBackoff()
        #expect(pace.dueAt(hasMore: false) == nil)
        pace.isWanted = true
        pace.look(at: 1000)
        #expect(pace.dueAt(hasMore: false) == nil)
        pace.isWanted = true
        #expect(pace.dueAt(hasMore: false) == 1002)
        #expect(pace.dueAt(hasMore: true) == 1050)
        for number in 0..<10 { pace.look(at: 1000 + Int64(number)) }
        pace.isWanted = true
        #expect(pace.dueAt(hasMore: false) == 1019)
        pace.isFirst = false
        pace.found(4, of: 64)
        #expect(pace.dueAt(hasMore: false) == 1019)
        pace.found(5, of: 64)
        #expect(pace.dueAt(hasMore: false) == 1011)
    }

    @Test("A1 who rests claims without a look while claims give something and nobody is ahead")
    func atOnce() {
        var pace = PollBackoff()
        pace.isWanted = true
        #expect(!pace.mayClaim(at: 1000), "nothing was ever claimed")
        pace.found(1, of: 64)
        #expect(pace.mayClaim(at: 1000))
        pace.look(at: 1000)
        #expect(!pace.mayClaim(at: 1001), "nothing new was told")
        pace.isWanted = true
        #expect(!pace.mayClaim(at: 1001), "others commit all the time")
        #expect(pace.mayClaim(at: 1002))
        pace.isFirst = false
        #expect(!pace.mayClaim(at: 1002), "another runner takes the same")
        pace.isFirst = true
        pace.found(0, of: 64)
        #expect(!pace.mayClaim(at: 1002), "the last one claimed in vain")
    }
}
