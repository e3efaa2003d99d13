import SluiceControl
import SluiceModel
import SluiceStore
import SluiceTerminalUI
import Testing

@testable import SluiceConsole

@Suite("the clock of the store on the screen")
struct ClockTests {
    private static let start = Timestamp(milliseconds: 1_800_000_000_000)

    /// A task that waits for an hour, another that is due, in a queue that is paused.
    private func bench(isReadOnly: Bool = false) throws -> Bench {
        let store = MemoryStore()
        try store.writeBlocking { store in
            try store.put(QueueRecord(name: "mail", createdAt: Self.start))
            try store.transact(at: Self.start) { mutation in
                var later = EnqueueRequest(type: "later", payload: [])
                later.notBefore = Self.start + 3_600_000
                _ = try mutation.enqueue(
                    [later, EnqueueRequest(type: "now", payload: [])], to: "mail")
                try mutation.addPause(
                    Pause(cause: .person, by: "ann", reason: nil, since: Self.start, until: nil),
                    to: "mail")
            }
        }
        return Bench(
            store: store, size: Size(width: 118, height: 30), now: Self.start,
            isReadOnly: isReadOnly)
    }

    private func field(_ bench: Bench) -> String {
        guard case .prompt(let prompt)? = bench.state.modal else { return "" }
        return prompt.editor.text
    }

    private func setting(_ bench: Bench) throws -> ClockSetting? {
        try bench.store.readBlocking { try $0.storeRecord().clock }
    }

    @Test("G3 C opens a line, which Tab widens; its command is shown, and z takes it back")
    func line() throws {
        let bench = try bench()
        bench.press("C")
        var lines = [field(bench)]
        for _ in 0..<5 {
            bench.press("Tab")
            lines.append(field(bench))
        }
        #expect(lines == ["freeze", "+5m", "next", "rate 10", "real", "freeze"])
        #expect(bench.screen.contains("Tab: freeze +5m next rate 10 real; "))
        bench.send(.input(.key(.backTab)))
        #expect(field(bench) == "real")
        bench.send(.input(.key(.backTab)))
        bench.send(.input(.key(.backTab)))
        #expect(field(bench) == "next")
        #expect(bench.screen.contains("at 09:00:00") && bench.screen.contains("delayed 1"))
        bench.press("Enter")
        #expect(bench.message.contains("clock next"))
        #expect(bench.message.contains("that is the time of #1 later in mail"))
        #expect(try setting(bench)?.time == .offset(3_600_000))
        #expect(!bench.screen.contains("delayed 1") && bench.screen.contains("due 2"))
        bench.press("z")
        #expect(try setting(bench) == nil)
    }

    @Test("G3 a mistake is named while it is typed, and is not taken")
    func mistake() throws {
        let bench = try bench()
        bench.press("C")
        bench.type(" it")
        #expect(bench.screen.contains("one argument too many"))
        bench.press("Enter")
        #expect(try bench.state.modal != nil && setting(bench) == nil)
        bench.press("Esc")
        let readOnly = try self.bench(isReadOnly: true)
        readOnly.press("C")
        #expect(readOnly.state.modal == nil && readOnly.message.contains("reading only"))
    }

    @Test("G3 a time that no clock shows is refused in the words that were typed")
    func limits() throws {
        let bench = try bench()
        for (word, bound) in [
            ("+99999999d", "up to the end of the year 9999"),
            ("-9999999d", "since the store was made"),
        ] {
            bench.press("C")
            bench.send(.input(.key(.control("u"))))
            bench.type(word)
            bench.press("Enter")
            #expect(bench.message.contains("\"\(word)\" is "), "\(bench.message)")
            #expect(bench.message.contains(bound), "\(bench.message)")
        }
        #expect(try setting(bench) == nil)
    }

    @Test("G3 where it is set already the way back to the real time comes first")
    func backFirst() throws {
        let bench = try bench()
        bench.press("C Enter C")
        var lines = [field(bench)]
        for _ in 0..<5 {
            bench.press("Tab")
            lines.append(field(bench))
        }
        #expect(lines == ["real", "+5m", "next", "rate 10", "freeze", "real"])
        #expect(bench.screen.contains("Tab: real +5m next rate 10 freeze; "), "\(bench.screen)")
        bench.press("Enter")
        #expect(try setting(bench) == nil)
    }

    @Test("G3 K3 how far behind the real time is said to the second, and seconds are repainted")
    func behind() throws {
        let bench = try bench()
        bench.press("C Enter")
        func wake() -> Timestamp? {
            bench.takeEffects().compactMap { effect -> Timestamp?? in
                if case .wakeAt(let moment) = effect { moment } else { nil }
            }.last.flatMap(\.self)
        }
        #expect(bench.lines[0].contains("clock frozen at 08:00:00 (+0s)"), "\(bench.lines[0])")
        #expect(wake() == Self.start + 1000)
        bench.wait(milliseconds: 16_000)
        #expect(bench.lines[0].contains("clock frozen at 08:00:00 (-16s)"), "\(bench.lines[0])")
        #expect(wake() == Self.start + 17_000)
        bench.wait(milliseconds: 64_000)
        #expect(bench.lines[0].contains("clock frozen at 08:00:00 (-1m)"), "\(bench.lines[0])")
        #expect(wake() == Self.start + 120_000)
    }

    @Test("G3 less than a second is no time behind")
    func moment() throws {
        let bench = try bench()
        bench.press("C Enter")
        bench.wait(milliseconds: 400)
        let top = bench.lines.first ?? ""
        #expect(top.contains("clock frozen at 08:00:00 (+0"), "\(top)")
    }

    @Test("G3 the top line says it for as long as it is not the real time")
    func header() throws {
        let bench = try bench()
        func top() -> String { bench.lines.first ?? "" }
        #expect(!top().contains("clock"))
        bench.press("C Enter")
        bench.wait(milliseconds: 301_000)
        #expect(top().contains("clock frozen at 08:00:00 (-5m)"))
        // Waiting times follow the store's clock, past times do not.
        #expect(bench.screen.contains("delayed 1") && bench.screen.contains("····    1h"))
        bench.press("C Tab Enter")
        #expect(top().contains("clock frozen at 08:05:00 (-1s)"))
        bench.press("C Tab Tab Tab Enter")
        #expect(top().contains("clock at rate 10, 08:05:00"))
        bench.press("C Enter")
        #expect(!top().contains("clock"))
    }
}
