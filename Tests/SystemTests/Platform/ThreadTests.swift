import SluiceSystem
import Testing

@Suite("Threads, signals and polling")
struct ThreadTests {
    @Test("a lock lets one thread in at a time")
    func exclusion() throws {
        let count = Protected(0)
        let threads = try (0..<4).map { number in
            try Thread(name: "counter \(number)") {
                for _ in 0..<10_000 { count.withLock { $0 += 1 } }
            }
        }
        for thread in threads { thread.join() }
        #expect(count.withLock { $0 } == 40_000)
    }

    @Test("a condition wakes who waits for it, and its time limit ends the wait")
    func condition() throws {
        let lock = Lock()
        let condition = Condition(lock)
        let asked = Protected(false)
        #expect(lock.withLock { condition.wait(timeoutMilliseconds: 1) } == false)
        let thread = try Thread(name: "answers") {
            lock.withLock {
                asked.withLock { $0 = true }
                condition.broadcast()
            }
        }
        lock.withLock {
            while !asked.withLock({ $0 }) { condition.wait() }
        }
        thread.join()
        #expect(thread.isCurrent == false)
    }

    @Test("an event signal wakes a poll of another thread")
    func eventSignal() throws {
        let event = try EventSignal()
        let interest = [PollInterest(event.descriptor.number)]
        #expect(try Poll.wait(fds: interest, timeoutMilliseconds: 0) == [])
        let thread = try Thread(name: "signals") {
            event.signal()
            event.signal()
        }
        let ready = try Poll.wait(fds: interest, timeoutMilliseconds: Wait.limitMilliseconds)
        #expect(ready.map(\.readable) == [true])
        thread.join()
        #expect(event.drain())
        #expect(event.drain() == false)
    }

    @Test("a signal of this process arrives in the inbox")
    func signalInbox() throws {
        let inbox = try SignalInbox([.user1, .windowChange])
        try Signal.windowChange.sendToSelf()
        try Signal.user1.sendToSelf()
        var came: Set<Signal> = []
        let interest = [PollInterest(inbox.descriptor.number)]
        while came.count < 2 {
            let limit = Wait.limitMilliseconds
            let ready = try Poll.wait(fds: interest, timeoutMilliseconds: limit)
            try came.formUnion(inbox.drain())
            if ready.isEmpty { continue }
        }
        #expect(came == [.user1, .windowChange])
        #expect(try inbox.drain() == [])
    }

    @Test("a signal arrives in every inbox, and in the older one after the newer has ended")
    func nestedInboxes() throws {
        func arrives(_ inbox: SignalInbox) throws {
            let interest = [PollInterest(inbox.descriptor.number)]
            _ = try Poll.wait(fds: interest, timeoutMilliseconds: Wait.limitMilliseconds)
            #expect(try inbox.drain() == [.terminalStop])
        }
        let outer = try SignalInbox([.terminalStop])
        do {
            let inner = try SignalInbox([.terminalStop])
            try Signal.terminalStop.sendToSelf()
            try arrives(outer)
            try arrives(inner)
            withExtendedLifetime(inner) {}
        }
        try Signal.terminalStop.sendToSelf()
        try arrives(outer)
    }

    @Test("the other side of a pipe going away is told")
    func hangUp() throws {
        let child = try ChildProcess.spawn(Spawn("/bin/true", environment: []))
        let output = try #require(child.output)
        let ready = try Poll.wait(
            fds: [PollInterest(output.number)], timeoutMilliseconds: Wait.limitMilliseconds)
        #expect(ready.first?.hungUp == true)
        #expect(try output.read(atMost: 10) == .end)
        _ = try Wait.exit(of: child)
    }

    @Test("lines come one by one, the last also without its newline")
    func lines() throws {
        let child = try ChildProcess.spawn(
            Spawn("/bin/sh", ["-c", "printf 'one\\n\\nthree'"], environment: []))
        let output = try #require(child.output)
        var reader = LineReader(output.number, limitBytes: 5)
        var lines: [String] = []
        while let line = try reader.next() { lines.append(String(decoding: line, as: UTF8.self)) }
        #expect(lines == ["one", "", "three"])
        _ = try Wait.exit(of: child)
    }
}
