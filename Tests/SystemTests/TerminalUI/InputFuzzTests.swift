import Glibc
import SluiceTerminalUI
import Testing

/// Sequences that terminals send, cut at every byte and delivered at every pace.
///
/// The oracle is the decoder that gets the same bytes in one piece. A cut may lose a key, and may
/// turn the escape of a sequence into the key Escape, but not while an answer is due on a link that
/// delays each byte by 150 ms. It never makes another key, a mouse report or a paste.
@Suite("Input in pieces")
struct InputFuzzTests {
    /// Terminal input: keys, mouse reports, a paste, and answers to queries.
    static let sequences: [String] = [
        "\u{1b}[A", "\u{1b}OB", "\u{1b}[1;5C", "\u{1b}[3~", "\u{1b}[15;2~", "\u{1b}[[A",
        "\u{1b}[<0;12;13M", "\u{1b}[<64;80;24m", "\u{1b}[M !!", "\u{1b}[I", "\u{1b}[O",
        "\u{1b}]11;rgb:1d1d/1f1f/2121\u{1b}\\", "\u{1b}]11;rgb:ffff/ffff/ffff\u{07}",
        "\u{1b}[2;3R", "\u{1b}[?1;2c", "\u{1b}P1+r544e=78\u{1b}\\", "\u{1b}[200~dy\nq\u{1b}[201~",
        "é", "漢", "\u{1f469}\u{200d}\u{1f467}", "j",
    ]

    /// Gaps between bytes in milliseconds: of one read, of a slow link, and around each limit.
    static let gaps: [UInt64] = [0, 1, 24, 26, 150, 499, 501, 999, 1_500, 1_999]

    /// A possible gap in terminal input. After Escape a person may type, so only a continuation
    /// byte is discarded, and only briefly.
    private static func gap(
        _ gap: UInt64, after last: UInt8?, before next: UInt8?, asks: Bool
    ) -> UInt64 {
        guard last == 0x1b, let next else { return gap }
        let goesOn = "[O\\".utf8.contains(next) || asks && next == UInt8(ascii: "]")
        return min(gap, goesOn ? 499 : 24)
    }

    /// A generator of random numbers from a seed.
    private struct Chance {
        var state: UInt64

        mutating func below(_ end: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(truncatingIfNeeded: state >> 33) % end
        }
    }

    /// The events of chunks that come with a gap before each.
    private static func events(_ chunks: [(gap: UInt64, bytes: [UInt8])], asks: Bool)
        -> [InputEvent]
    {
        var typed = TimedInput(InputDecoder())
        typed.awaitsAnswer = asks
        var (now, events): (UInt64, [InputEvent]) = (0, [])
        func pass(to moment: UInt64) {
            while let due = typed.deadline, due <= moment { events += typed.flush(at: due) }
            now = moment
        }
        for (gap, bytes) in chunks {
            pass(to: now + gap * 1_000_000)
            events += typed.feed(bytes, at: now)
        }
        pass(to: now + 60_000_000_000)
        return events
    }

    /// The events caused by a cut, absent from the oracle's.
    private static func forged(
        _ found: [InputEvent], _ oracle: [InputEvent], mayEscape: Bool
    ) -> [InputEvent] {
        var left = oracle
        return found.filter { event in
            if event == .unknown || event == .key(.escape) && mayEscape { return false }
            if case .paste(let text) = event {
                // An abandoned paste is reported in part.
                return !oracle.contains {
                    if case .paste(let whole) = $0 { whole.hasPrefix(text) } else { false }
                }
            }
            guard let place = left.firstIndex(of: event) else { return true }
            left.remove(at: place)
            return false
        }
    }

    @Test("K8 every cut of every sequence at every pace makes no key", arguments: [false, true])
    func everyCut(asks: Bool) {
        var count = 0
        for sequence in Self.sequences {
            let bytes = Array(sequence.utf8)
            let oracle = Self.events([(0, bytes)], asks: asks)
            for first in Self.gaps {
                for cut in 1..<max(2, bytes.count) {
                    for other in 1..<max(2, bytes.count) where other >= cut {
                        let ends = [cut, other, bytes.count].map { min($0, bytes.count) }
                        let chunks = [0..<ends[0], ends[0]..<ends[1], ends[1]..<ends[2]].map {
                            let last = $0.lowerBound == 0 ? nil : bytes[$0.lowerBound - 1]
                            let gap = Self.gap(
                                first, after: last, before: bytes[$0].first, asks: asks)
                            return (gap: gap, bytes: Array(bytes[$0]))
                        }
                        let found = Self.events(chunks.filter { !$0.bytes.isEmpty }, asks: asks)
                        let wrong = Self.forged(
                            found, oracle, mayEscape: !asks || first > 150)
                        count += 1
                        #expect(
                            wrong.isEmpty, "\(chunks) became \(found), not \(oracle)")
                        if !wrong.isEmpty { return }
                    }
                }
            }
        }
        #expect(count > 10_000)
    }

    @Test("K8 random sequences in random pieces make no key that the whole would not make")
    func randomPieces() {
        let rounds = getenv("SLUICE_INPUT_ROUNDS").flatMap { Int(String(cString: $0)) } ?? 20_000
        let seed = getenv("SLUICE_INPUT_SEED").flatMap { UInt64(String(cString: $0)) } ?? 46
        var chance = Chance(state: seed)
        for round in 0..<rounds {
            let asks = chance.below(2) == 0
            var chunks: [(gap: UInt64, bytes: [UInt8])] = []
            var oracle: [InputEvent] = []
            for _ in 0...chance.below(3) {
                let bytes = Array(Self.sequences[chance.below(Self.sequences.count)].utf8)
                oracle += Self.events([(0, bytes)], asks: asks)
                var rest = bytes[...]
                var isFirst = true
                while !rest.isEmpty {
                    let count = 1 + chance.below(rest.count)
                    // Between two sequences a person waits until the first is over.
                    let pause = Self.gaps[chance.below(Self.gaps.count)]
                    let last = chunks.last?.bytes.last
                    let gap =
                        isFirst
                        ? 5_000
                        : Self.gap(
                            pause, after: last, before: rest.first, asks: asks)
                    chunks.append((gap, Array(rest.prefix(count))))
                    rest = rest.dropFirst(count)
                    isFirst = false
                }
            }
            let found = Self.events(chunks, asks: asks)
            let mayEscape = !asks || chunks.dropFirst().contains { $0.gap > 150 && $0.gap < 5_000 }
            let wrong = Self.forged(found, oracle, mayEscape: mayEscape)
            #expect(wrong.isEmpty, "seed \(seed), round \(round): \(chunks) became \(found)")
            if !wrong.isEmpty { return }
        }
    }
}
