import SluiceModel
import SluiceStore
import SluiceSystem
import SluiceTestSupport
import Testing

extension ConsoleSoak {
    /// Random keys, during random changes by others.
    @Suite("storm", .serialized)
    struct StormTests {
        @Test("K8 random keys, mice, sizes and changes by others break neither screen nor store")
        func storm() async throws {
            let seed = Soak.seed()
            print("storm: seed \(seed)")
            try await Workplace.onOwnThread {
                let place = try Workplace.withStore()
                try Self.furnish(place)
                let worker = try place.startWorker()
                let vandal = try Vandal(at: place, seed: seed &+ 1)
                let console = try LiveConsole(
                    at: place, environment: ["EDITOR=sed -i s/1/2/", "VISUAL=sed -i s/1/2/"])
                try console.terminal.wait(forText: "wide", timeoutSeconds: 30)
                var storm = Storm(on: console.terminal, seed: seed)
                let deadline = Deadline(seconds: Soak.count(3, soak: 90))
                while !deadline.isOver {
                    try storm.strike()
                    try #require(try console.terminal.exit == nil, "\(storm.history)")
                }
                let deeds = vandal.rest()
                print("storm: \(storm.summary); \(deeds.summary)")
                #expect(deeds.surprises == [])
                try console.terminal.resize(columns: 110, rows: 30)
                try console.terminal.wait(forText: "sluice", timeoutSeconds: 30)
                try console.quit()
                try worker.signal(.terminate)
                try place.expecting(0, worker.answer())
                let doctor = try place.sluice(["doctor"])
                #expect(doctor.code == 0, "\(doctor)")
            }
        }

        @Test(
            "K8 Ctrl-C ends the console although the terminal began something that has no end",
            arguments: ["\u{1b}]u7", "\u{1b}P1+r"])
        func unfinished(_ bytes: String) async throws {
            try await Workplace.onOwnThread {
                let place = try Workplace.withStore()
                let console = try LiveConsole.open(at: place, showing: "sluice")
                try console.terminal.send(Array(bytes.utf8))
                try console.quit()
            }
        }

        private static func furnish(_ place: Workplace) throws {
            try place.write(
                """
                {"handlers": {
                  "slow": {"simulate": {"duration": "150ms"}},
                  "bad": {"simulate": {"fail": 9, "error": "HTTP 500 \\u001b[31mEVIL"}},
                  "worse": {"simulate": {"outcome": "giveUp"}},
                  "odd": {"simulate": {"outcome": "park"}},
                  "*": {"simulate": {}}}}
                """, to: "handlers.json")
            try place.json(["queue", "set", "strict", "--after-failure", "block"])
            try place.json(["queue", "set", "wide", "--concurrency", "4", "--order", "priority"])
            try place.json(["queue", "set", "passes", "--start", "manual"])
            for queue in Vandal.queues { _ = try place.enqueue(queue, count: 100) }
        }
    }
}

/// Random input for a terminal; the same seed gives the same input.
private struct Storm {
    private let terminal: TerminalSession
    private var chance: SeededChance
    private var columns = 110
    private var rows = 30
    private var counts: [String: Int] = [:]
    /// The last things that were done.
    private(set) var history: [String] = []

    /// Every key except the quit keys, which another test covers.
    private static let keys: [TerminalKey] =
        [
            .up, .down, .left, .right, .enter, .enter, .escape, .escape, .tab, .backTab,
            .backspace, .delete, .insert, .home, .end, .pageUp, .pageDown, .function(1),
            .function(5), .function(12), .control("l"), .control("a"), .control("k"), .alt("x"),
        ]
        + "sScpPrxdRtemDyiz+-wa?:/nNgGFT[] *1234567890jklhyyuQXöß漢👩‍👩‍👧é~\"'#%".map { .char($0) }

    private static let pastes = [
        "hello", "type = job and age > 1m", "mail job {\"n\":1}", "\u{1b}]0;pwn\u{7}EVIL",
        "line one\nline two\n", "漢字かな交じり文", "pause wide --reason \"x y\"", "#12 +5m",
        String(repeating: "long ", count: 500), "e\u{301}\u{301}\u{301}", "\u{202e}abc",
    ]

    init(on terminal: TerminalSession, seed: UInt64) {
        self.terminal = terminal
        chance = SeededChance(seed: seed)
    }

    var summary: String {
        counts.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }.joined(separator: ", ")
    }

    /// Does one thing, and reads what the console makes of it, for a while or hardly.
    mutating func strike() throws {
        switch chance.number(0...99) {
        case 0...69: try press()
        case 70...82: try point()
        case 83...89: try resize()
        case 90...93: try paste()
        case 94...98: try babble()
        default: try suspend()
        }
        try terminal.settle(quietMilliseconds: chance.number(0...12), timeoutSeconds: 1)
    }

    private mutating func note(_ kind: String, _ what: String) {
        counts[kind, default: 0] += 1
        history.append("\(kind) \(what)")
        if history.count > 200 { history.removeFirst(100) }
    }

    private mutating func press() throws {
        guard let key = Self.keys.randomElement(using: &chance) else { return }
        note("keys", "\(key)")
        try terminal.key(key)
    }

    private mutating func point() throws {
        let (column, row) = (chance.number(0...columns), chance.number(0...rows))
        let actions: [MouseAction] = [
            .press(1), .release(1), .press(2), .press(3), .move, .wheelUp, .wheelDown,
        ]
        guard let action = actions.randomElement(using: &chance) else { return }
        note("mouse", "\(action) at \(column), \(row)")
        if action == .press(1) {
            try terminal.click(column: column, row: row)
        } else {
            try terminal.mouse(action, column: column, row: row)
        }
    }

    private mutating func resize() throws {
        let isUsual = chance.number(0...2) > 0
        columns = isUsual ? chance.number(60...160) : chance.number(1...300)
        rows = isUsual ? chance.number(12...50) : chance.number(1...100)
        note("sizes", "\(columns)x\(rows)")
        try terminal.resize(columns: columns, rows: rows)
    }

    private mutating func paste() throws {
        guard let text = Self.pastes.randomElement(using: &chance) else { return }
        note("pastes", String(text.prefix(20)))
        try terminal.paste(text)
    }

    /// Bytes that no terminal sends: cut off, unknown, no UTF-8. None of them is Ctrl-C or `q`.
    private mutating func babble() throws {
        let starts = ["\u{1b}[", "\u{1b}O", "\u{1b}]", "\u{1b}[<", "\u{1b}", "\u{1b}[200~"]
        var bytes = Array((starts.randomElement(using: &chance) ?? "").utf8)
        for _ in 0..<chance.number(0...8) {
            let byte = UInt8(chance.number(0x1b...0xff))
            if byte != UInt8(ascii: "q") { bytes.append(byte) }
        }
        if bytes.starts(with: Array("\u{1b}[200~".utf8)) { bytes += Array("\u{1b}[201~".utf8) }
        note("noises", "\(bytes)")
        try terminal.send(bytes)
    }

    /// Ctrl-Z, and back as by `fg`.
    private mutating func suspend() throws {
        note("stops", "")
        try terminal.key(.control("z"))
        for _ in 0..<50 {
            try terminal.settle(quietMilliseconds: 10, timeoutSeconds: 1)
            guard try ProcessUse.state(of: terminal.processID) != "T" else { break }
        }
        try terminal.kill(.resume)
    }
}
