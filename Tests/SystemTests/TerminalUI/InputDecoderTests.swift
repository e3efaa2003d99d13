import Testing

@testable import SluiceTerminalUI

@Suite("Input bytes")
struct InputDecoderTests {
    static let whole: [(bytes: String, events: [InputEvent])] = [
        ("a", [.key(.character("a"))]),
        ("é日", [.key(.character("é")), .key(.character("日"))]),
        ("\r", [.key(.enter)]), ("\n", [.key(.enter)]), ("\t", [.key(.tab)]),
        ("\u{7f}", [.key(.backspace)]), ("\u{08}", [.key(.backspace)]),
        ("\u{0c}", [.key(.control("l"))]), ("\0", [.key(.control(" "))]),
        ("\u{1c}", [.key(.control("\\"))]), ("\u{1a}", [.key(.control("z"))]),
        ("\u{1b}x", [.key(.alt("x"))]), ("\u{1b}é", [.key(.alt("é"))]),
        ("\u{1b}\u{7f}", [.key(.modified(.alt, .backspace))]),
        ("\u{1b}[A", [.key(.up)]), ("\u{1b}OB", [.key(.down)]),
        ("\u{1b}[1;5C", [.key(.modified(.control, .right))]),
        ("\u{1b}[1;2D", [.key(.modified(.shift, .left))]),
        ("\u{1b}\u{1b}[A", [.key(.modified(.alt, .up))]),
        ("\u{1b}[H", [.key(.home)]), ("\u{1b}[4~", [.key(.end)]), ("\u{1b}[3~", [.key(.delete)]),
        ("\u{1b}[5~", [.key(.pageUp)]), ("\u{1b}[6;5~", [.key(.modified(.control, .pageDown))]),
        ("\u{1b}[Z", [.key(.backTab)]), ("\u{1b}OP", [.key(.f(1))]),
        ("\u{1b}[15~", [.key(.f(5))]), ("\u{1b}[24~", [.key(.f(12))]),
        ("\u{1b}[[C", [.key(.f(3))]), ("\u{1b}OM", [.key(.enter)]),
        ("\u{1b}Oy", [.key(.character("9"))]),
        ("\u{1b}[I", [.focus(true)]), ("\u{1b}[O", [.focus(false)]),
        ("\u{1b}[<0;1;1M", [.mouse(Mouse(.press(.left), at: Point(x: 0, y: 0)))]),
        ("\u{1b}[<0;300;7m", [.mouse(Mouse(.release, at: Point(x: 299, y: 6)))]),
        (
            "\u{1b}[<81;2;3M",
            [.mouse(Mouse(.wheelDown, at: Point(x: 1, y: 2), modifiers: .control))]
        ),
        ("\u{1b}[M !!", [.mouse(Mouse(.press(.left), at: Point(x: 0, y: 0)))]),
        ("\u{1b}[200~a\u{1b}[A\rq\u{1b}[201~z", [.paste("a\u{1b}[A\rq"), .key(.character("z"))]),
        ("\u{1b}[200~\u{1b}[201~", [.paste("")]),
        ("\u{1b}[99;99z", [.unknown]), ("\u{1b}[105;5u", [.unknown]), ("\u{1b}[?1;2c", [.unknown]),
        ("\u{1b}[0;5R", [.unknown]),
        ("\u{1b}[2;3Rq", [.cursor(Point(x: 2, y: 1)), .key(.character("q"))]),
        ("\u{1b}[1;2R", [.key(Key.f(3).with(.shift))]), ("\u{1b}[2;3;4R", [.unknown]),
        ("\u{1b}[1;99A", [.unknown]), ("\u{1b}[<9;9M", [.unknown]),
        ("\u{1b}]11;rgb:0000/0000/0000\u{07}q", [.ground(.dark), .key(.character("q"))]),
        ("\u{1b}]11;rgb:f/f/f\u{1b}\\q", [.ground(.light), .key(.character("q"))]),
        ("\u{1b}P1+r\u{1b}\\", [.unknown]), ("\u{1b}[1;\u{1b}[A", [.unknown, .key(.up)]),
        ("\u{1b}O\u{1b}[A", [.unknown, .key(.up)]),
    ]

    @Test("Keys, mouse, pastes and reports are told apart", arguments: whole)
    func events(bytes: String, events: [InputEvent]) {
        var decoder = InputDecoder()
        #expect(decoder.feed(bytes.utf8) == events)
        #expect(decoder.timeoutMilliseconds == nil)
    }

    @Test("The cuts between reads change nothing", arguments: whole)
    func bytewise(bytes: String, events: [InputEvent]) {
        var decoder = InputDecoder()
        #expect(bytes.utf8.flatMap { decoder.feed([$0]) } == events)
    }

    static let flushed: [(bytes: [UInt8], timeout: Int, events: [InputEvent])] = [
        ([0x1b], 25, [.key(.escape)]), ([0x1b, 0x5b], 2_000, [.unknown]),
        ([0x1b, 0x4f], 2_000, [.unknown]), ([0x1b, 0x5d], 2_000, [.unknown]),
        ([0x1b, 0x1b], 25, [.key(.escape), .key(.escape)]),
        ([0x1b, 0x5b, 0x31, 0x3b], 2_000, [.unknown]), ([0xe2, 0x82], 500, [.unknown]),
        (Array("\u{1b}[200~ab".utf8), 2_000, [.paste("ab")]),
    ]

    @Test("What nothing follows in time is settled by the flush", arguments: flushed)
    func flush(bytes: [UInt8], timeout: Int, events: [InputEvent]) {
        var decoder = InputDecoder()
        #expect(decoder.feed(bytes) == [])
        #expect(decoder.timeoutMilliseconds == timeout)
        #expect(decoder.flush() == events)
        // The decoder discards its rest until a second flush.
        #expect(decoder.timeoutMilliseconds != nil && decoder.flush() == [])
        #expect(decoder.timeoutMilliseconds == nil)
        #expect(decoder.feed([0x61]) == [.key(.character("a"))])
    }

    static let begun = ["\u{1b}]u7", "\u{1b}P1+r", "\u{1b}_a", "\u{1b}[1;"]

    @Test("K8 What has no end is given up in time, however quickly keys follow", arguments: begun)
    func endless(_ begun: String) {
        var typed = TimedInput(InputDecoder())
        #expect(typed.feed(begun.utf8, at: 7_000_000) == [])
        #expect(typed.deadline == 2_007_000_000)
        for milliseconds: UInt64 in [27, 67, 2_006] {
            let key = typed.feed("7".utf8, at: milliseconds * 1_000_000)
            #expect(key == [] && typed.flush(at: milliseconds * 1_000_000) == [])
        }
        #expect(typed.flush(at: 2_007_000_000) == [.unknown])
        // Its rest is swallowed for two seconds more, but for Ctrl-C and Escape.
        #expect(typed.feed("7".utf8, at: 2_100_000_000) == [])
        #expect(typed.deadline == 4_100_000_000 && typed.flush(at: 4_100_000_000) == [])
        #expect(typed.deadline == nil)
        #expect(typed.feed("7".utf8, at: 4_101_000_000) == [.key(.character("7"))])
    }

    @Test("K8 Ctrl-C and Escape count within what has no end", arguments: begun)
    func interrupts(_ begun: String) {
        for isGivenUp in [false, true] {
            var typed = TimedInput(InputDecoder())
            _ = typed.feed(begun.utf8, at: 0)
            var events = isGivenUp ? typed.flush(at: 2_000_000_000) : []
            events += typed.feed([0x03], at: 2_001_000_000)
            #expect(events == [.unknown, .key(.control("c"))], "\(isGivenUp)")
            _ = typed.feed(begun.utf8, at: 3_000_000_000)
            _ = typed.flush(at: 5_000_000_000)
            events = typed.feed([0x1b], at: 5_001_000_000) + typed.flush(at: 5_026_000_000)
            #expect(events == [.key(.escape)], "\(isGivenUp)")
        }
    }

    @Test("K8 After Escape a bracket that a person types counts, a little later")
    func bracketAfterEscape() {
        var typed = TimedInput(InputDecoder())
        _ = typed.feed([0x1b], at: 0)
        #expect(typed.flush(at: 25_000_000) == [.key(.escape)])
        #expect(typed.flush(at: 525_000_000) == [] && typed.deadline == nil)
        #expect(typed.feed("[".utf8, at: 526_000_000) == [.key(.character("["))])
    }

    @Test("K8 of a sequence whose bytes come 150 ms apart nothing but Escape counts")
    func slowLink() {
        for sequence in ["\u{1b}[B", "\u{1b}[<0;10;9M", "\u{1b}[15~"] {
            var typed = TimedInput(InputDecoder())
            var (now, events): (UInt64, [InputEvent]) = (0, [])
            for byte in sequence.utf8 {
                events += typed.flush(at: now)
                events += typed.feed([byte], at: now)
                now += 150_000_000
            }
            #expect(events == [.key(.escape)] && typed.deadline == nil, "\(sequence)")
            #expect(typed.feed("j".utf8, at: now) == [.key(.character("j"))])
        }
    }

    @Test("K8 what has no end takes keys for the length of an answer, not longer")
    func endlessTyping() {
        var typed = TimedInput(InputDecoder())
        _ = typed.feed("\u{1b}]".utf8, at: 0)
        _ = typed.flush(at: 2_000_000_000)
        var (now, swallowed): (UInt64, Int) = (2_000_000_000, 0)
        while typed.deadline != nil, swallowed < 200 {
            now += 1_000_000_000
            if typed.flush(at: now) != [] || typed.deadline == nil { break }
            if typed.feed("j".utf8, at: now) == [] { swallowed += 1 }
        }
        #expect((60...66).contains(swallowed), "\(swallowed)")
    }

    @Test("What goes on in time is whole; a paste has its time anew as long as it goes on")
    func timely() {
        var typed = TimedInput(InputDecoder())
        #expect(typed.feed([0x1b], at: 0) == [] && typed.deadline == 25_000_000)
        #expect(typed.feed("[1;5".utf8, at: 20_000_000) == [] && typed.deadline == 2_000_000_000)
        // Late bytes still complete it if they arrive before the clock check.
        let late = typed.feed("C\u{1b}[200~a".utf8, at: 2_030_000_000)
        #expect(late == [.key(.modified(.control, .right))])
        #expect(typed.deadline == 4_030_000_000 && typed.flush(at: 4_029_999_999) == [])
        #expect(typed.feed("b".utf8, at: 4_000_000_000) == [])
        #expect(typed.deadline == 6_000_000_000)
        #expect(typed.flush(at: 6_000_000_000) == [.paste("ab")])
        // The rest of an abandoned paste does not count as typing.
        #expect(typed.feed("dy\u{1b}[201~".utf8, at: 7_000_000_000) == [])
        #expect(typed.feed("q".utf8, at: 7_000_000_001) == [.key(.character("q"))])
    }

    @Test("Broken UTF-8 is unknown and the next sign is whole")
    func brokenText() {
        var decoder = InputDecoder()
        #expect(decoder.feed([0xff, 0x61]) == [.unknown, .key(.character("a"))])
        #expect(decoder.feed([0xe2, 0x61]) == [.unknown, .key(.character("a"))])
        #expect(decoder.feed([0xc2, 0x9b]) == [.unknown])
        #expect(decoder.feed([0xed, 0xa0, 0x80]) == [.unknown])
        #expect(decoder.feed([0xc0, 0x80]) == [.unknown, .unknown])
    }

    @Test("Sequences of terminfo come first")
    func terminfo() {
        var decoder = InputDecoder(sequences: [Array("\u{1b}[y".utf8): .f(7), [0x0b]: .up])
        #expect(decoder.feed("\u{1b}[y\u{0b}".utf8) == [.key(.f(7)), .key(.control("k"))])
    }

    @Test("Random bytes never fail, never stay pending after a flush", arguments: 0..<8)
    func random(seed: UInt64) {
        var chance = Chance(state: seed &* 0x9e37_79b9_7f4a_7c15 &+ 1)
        let hot: [UInt8] = [0x1b, 0x5b, 0x4f, 0x3b, 0x3c, 0x30, 0x32, 0x7e, 0x4d, 0x5d, 0x07, 0xe2]
        var decoder = InputDecoder()
        for _ in 0..<4_000 {
            let bytes = (0..<Int(chance.next() % 24)).map { _ -> UInt8 in
                let value = chance.next()
                return value & 1 == 0
                    ? hot[Int(value >> 8) % hot.count] : UInt8(truncatingIfNeeded: value >> 8)
            }
            _ = decoder.feed(bytes)
            if chance.next() % 4 == 0 {
                _ = decoder.flush()
                _ = decoder.flush()
                guard decoder.timeoutMilliseconds == nil else {
                    Issue.record("pending after a flush")
                    return
                }
            }
        }
    }

    @Test("No control sequence leaks a part of itself as a key", arguments: 0..<4)
    func noLeaks(seed: UInt64) {
        var chance = Chance(state: seed &+ 77)
        var decoder = InputDecoder()
        for _ in 0..<3_000 {
            var bytes: [UInt8] = [0x1b, 0x5b]
            for _ in 0..<Int(chance.next() % 6) { bytes.append(UInt8(0x20 + chance.next() % 0x20)) }
            let final = UInt8(0x40 + chance.next() % 0x3f)
            if bytes.count == 2, final == 0x4d || final == 0x5b { continue }
            if Array(bytes.dropFirst(2)) == Array("200".utf8) { continue }
            let events = decoder.feed(bytes + [final])
            guard events.count == 1, events.allSatisfy({ !$0.isTyped }) else {
                Issue.record("\(bytes + [final]) became \(events)")
                return
            }
        }
    }

    @Test("A paste without an end is bounded")
    func endlessPaste() {
        var decoder = InputDecoder()
        _ = decoder.feed("\u{1b}[200~".utf8)
        let chunk = [UInt8](repeating: 0x61, count: 1 << 20)
        for _ in 0..<6 { _ = decoder.feed(chunk) }
        guard case .paste(let text)? = decoder.flush().first else {
            Issue.record("no paste")
            return
        }
        #expect(text.utf8.count == InputDecoder.maximumPasteBytes)
    }
}

extension InputEvent {
    /// Whether it looks like a typed key.
    fileprivate var isTyped: Bool {
        switch self {
        case .key(.character), .key(.control), .key(.alt), .key(.enter), .key(.escape): true
        default: false
        }
    }
}

private struct Chance {
    var state: UInt64

    mutating func next() -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return state >> 33
    }
}
