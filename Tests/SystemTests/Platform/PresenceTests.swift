import SluiceSystem
import Testing

@Suite("Processes of this machine, and what they may open")
struct PresenceTests {
    @Test("A2 a process is there until it has ended, reaped or not; its number alone names nobody")
    func presence() throws {
        let own = ProcessIdentity.processID
        let start = try #require(ProcessIdentity.startTime(of: own))
        #expect(ProcessIdentity.presence(of: own, startTime: start) == .there)
        #expect(ProcessIdentity.presence(of: own, startTime: nil) == .there)
        #expect(ProcessIdentity.presence(of: own, startTime: start + 1) == .gone)
        #expect(ProcessIdentity.presence(of: 0x3fff_ffff, startTime: nil) == .gone)
        #expect(ProcessIdentity.presence(of: 0, startTime: nil) == .gone)
        let child = try ChildProcess.spawn(Spawn("true", environment: ["PATH=/usr/bin:/bin"]))
        _ = try Poll.wait(fds: [PollInterest(child.pidfd.number)], timeoutMilliseconds: 10_000)
        #expect(ProcessIdentity.presence(of: child.processID, startTime: nil) == .gone)
        _ = try child.reap()
        #expect(ProcessIdentity.presence(of: child.processID, startTime: child.startTime) == .gone)
    }

    @Test("A2 processes of one container share a word, and those of one boot its beginning")
    func numberSpace() throws {
        let (space, boot) = (try ProcessIdentity.numberSpace(), try ProcessIdentity.bootID())
        #expect(space == boot || space.hasPrefix("\(boot)/"))
        #expect(ProcessIdentity.isSameBoot(space, boot))
        #expect(ProcessIdentity.isSameBoot("\(boot)/1", "\(boot)/2"))
        #expect(!ProcessIdentity.isSameBoot("another", boot))
        #expect(!ProcessIdentity.isSameBoot("", boot))
    }

    @Test("A5 this process may open as many files as it is allowed to, and its children as before")
    func descriptors() throws {
        let before = DescriptorLimit.current
        DescriptorLimit.raise()
        DescriptorLimit.raise()
        #expect(DescriptorLimit.current >= before)
        let child = try ChildProcess.spawn(
            Spawn("sh", ["-c", "ulimit -n; ulimit -Hn"], environment: ["PATH=/usr/bin:/bin"]))
        let output = try #require(child.output)
        try output.setNonBlocking(false)
        let text = String(decoding: try output.readAll(limitBytes: 100), as: UTF8.self)
        _ = try Poll.wait(fds: [PollInterest(child.pidfd.number)], timeoutMilliseconds: 10_000)
        #expect(try child.reap() == .code(0))
        let limits = text.split(separator: "\n").map(String.init)
        #expect(limits.first == "\(before)" && limits.last == "\(DescriptorLimit.current)")
        #expect(!DescriptorLimit.isReached)
    }

    @Test("A4 who waits sleeps longer the longer he waits, up to a bound, and never alike")
    func pause() {
        let pause = WaitPause(shortestMicroseconds: 200, longestMicroseconds: 25_000)
        var random = SystemRandom()
        func sleeps(after milliseconds: UInt64) -> [UInt32] {
            (0..<200).map { _ in
                pause.microseconds(waitedNanoseconds: milliseconds * 1_000_000, using: &random)
            }
        }
        #expect(sleeps(after: 0).allSatisfy { (100...300).contains($0) })
        #expect(sleeps(after: 80).allSatisfy { (5_000...15_000).contains($0) })
        let long = sleeps(after: 60_000)
        #expect(long.allSatisfy { (12_500...37_500).contains($0) })
        #expect(Set(long).count > 100)
    }
}
