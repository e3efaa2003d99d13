import SluiceModel
import SluiceStore
import SluiceTestSupport
import Testing

@testable import SluiceSQL

@Suite("Looking for a commit that the log announced")
struct CommitPollTests {
    private typealias Sight = InboxProbe.Sight

    /// The moments of the looks until the poll is over; `sight` says what there is at each.
    private func looks(
        _ poll: inout CommitPoll, from start: Int64, _ sight: (Int64) -> Sight?
    ) -> (looks: [Int64], told: [Int64]) {
        var (looks, told): ([Int64], [Int64]) = ([], [])
        var instant = start
        poll.logGrew(at: instant)
        while let sleep = poll.sleep(at: instant) {
            instant += sleep
            guard poll.isDue(at: instant) else { continue }
            looks.append(instant - start)
            if poll.looked(sight(instant - start), at: instant) { told.append(instant - start) }
        }
        return (looks, told)
    }

    @Test("T4 a commit is told within 100 ms of when it can be seen, up to half a second late")
    func latency() {
        for visible in Int64(0)...80 {
            var poll = CommitPoll()
            _ = looks(&poll, from: 0) { _ in Sight(commit: 1, isFresh: false) }
            let found = looks(&poll, from: 100_000) { now in
                now >= visible ? Sight(commit: 2, isFresh: true) : Sight(commit: 1, isFresh: false)
            }
            #expect(found.told.count == 1)
            #expect(found.told.first.map { $0 - visible < 100 } ?? false, "\(visible)")
        }
    }

    @Test("K3 where it was seen one looks for about half a second more, then never")
    func quiet() {
        var poll = CommitPoll()
        let seen = looks(&poll, from: 0) { _ in Sight(commit: 1, isFresh: false) }
        #expect(seen.looks == [2, 7, 17, 37, 77, 157, 317, 637])
        #expect(seen.told == [])
        #expect(poll.sleep(at: 1_000_000) == nil && poll.isListening)
    }

    @Test("T4 where nothing was seen one looks for about a minute, for a disk that is slow")
    func slowDisk() {
        var poll = CommitPoll()
        _ = looks(&poll, from: 0) { _ in Sight(commit: 1, isFresh: false) }
        let blind = looks(&poll, from: 10_000) { _ in Sight(commit: 1, isFresh: false) }
        #expect(blind.looks.count == 15)
        #expect((40_000...90_000).contains(blind.looks.last ?? 0))
        let late = looks(&poll, from: 200_000) { now in
            Sight(commit: now < 9000 ? 1 : 2, isFresh: now >= 9000)
        }
        #expect(late.told.count == 1)
        let closed = looks(&poll, from: 400_000) { _ in nil }
        #expect(closed.told == [])
    }

    @Test("K3 a log that grows all the time is looked at every five milliseconds at most")
    func busy() {
        var poll = CommitPoll()
        var looks = 0
        for instant in Int64(0)..<1000 {
            if poll.isListening { poll.logGrew(at: instant) }
            guard poll.isDue(at: instant) else { continue }
            looks += 1
            let isNotified = poll.looked(Sight(commit: instant, isFresh: false), at: instant)
            #expect(!isNotified)
        }
        #expect((200...290).contains(looks))
    }

    @Test("T4 one commit is told once, and the next again although the same rows lie there")
    func once() {
        var poll = CommitPoll()
        let first = looks(&poll, from: 0) { _ in Sight(commit: 1, isFresh: true) }
        #expect(first.told == [2])
        let second = looks(&poll, from: 5000) { _ in Sight(commit: 2, isFresh: true) }
        #expect(second.told == [2])
    }

    @Test("T4 a watch tells of an application's commit that leaves something, and of no other")
    func watch() throws {
        let place = try Place()
        let store = try place.openWithQueue()
        let app = try App(place)
        try app.run("CREATE TABLE mine (x)")
        let notices = Waiter()
        let watch = try store.observe { notices.add() }
        try app.run("INSERT INTO mine VALUES (1)")
        for _ in 0..<3 {
            let before = notices.count
            try app.enqueue(["a"])
            #expect(notices.passes(before))
            try store.writeBlocking { _ in }
        }
        withExtendedLifetime(watch) {}
        store.close()
    }

    @Test("T4 a console that only reads is told too")
    func readOnly() throws {
        let place = try Place()
        try place.openWithQueue().close()
        let store = try place.open(readOnly: true)
        let notices = Waiter()
        let watch = try store.observe { notices.add() }
        try App(place).enqueue(["a"])
        #expect(notices.passes(0))
        #expect(try store.readBlocking { try $0.inbox().tasks } == ["q": 1])
        withExtendedLifetime(watch) {}
        store.close()
    }
}
