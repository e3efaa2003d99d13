import SluiceC
import SluiceSystem
import Testing

@Suite("The machine and this process")
struct IdentityTests {
    @Test("A2 process number, start time and boot name this process")
    func identity() throws {
        let own = ProcessIdentity.processID
        #expect(ProcessIdentity.startTime(of: own) ?? 0 > 0)
        #expect(ProcessIdentity.startTime(of: own) == ProcessIdentity.startTime(of: own))
        #expect(ProcessIdentity.startTime(of: Int32.max) == nil)
        #expect(try ProcessIdentity.bootID().count == 36)
        #expect(try ProcessIdentity.executablePath().hasPrefix("/"))
        #expect(!ProcessIdentity.hostName.isEmpty && !ProcessIdentity.userName.isEmpty)
        #expect(ProcessIdentity.environment().contains { $0.hasPrefix("PATH=") })
        #expect(ProcessIdentity.environment("PATH") != nil)
    }

    @Test("clocks go forward and agree with the calendar")
    func clocks() {
        let first = SystemClock.monotonicNanoseconds()
        #expect(SystemClock.monotonicNanoseconds() >= first)
        #expect(SystemClock.nowMilliseconds() > 1_700_000_000_000)
        let before1970 = LocalTime(millisecondsSince1970: -1)
        #expect(before1970.millisecond == 999)
        let moment = LocalTime(millisecondsSince1970: 1_700_000_000_123)
        let local = 1_700_000_000 + moment.utcOffsetSeconds
        #expect(moment.millisecond == 123 && moment.second == local % 60)
        #expect(moment.hour == local / 3600 % 24 && moment.year == 2023)
    }

    @Test("chance is not constant")
    func chance() {
        var random = SystemRandom()
        #expect(Set((0..<100).map { _ in random.next() }).count == 100)
    }

    @Test(
        "widths are those of glibc",
        arguments: [
            ("a", 1), ("é", 1), ("漢", 2), ("🙂", 2), ("\u{301}", 0), ("\u{7}", -1), ("━", 1),
        ])
    func widths(text: String, width: Int32) throws {
        #expect(csys_set_locale() == 1)
        let scalar = try #require(text.unicodeScalars.first)
        #expect(csys_wcwidth(scalar.value) == width)
    }
}
