import SluiceModel
import SluiceSystem
import Testing

@testable import SluiceForeignQueues

/// Payloads that want to end their reader, fill the memory or take for ever.
@Suite("hostile payloads of other systems")
struct HostilePayloadTests {
    private static let end = [UInt8(ascii: ".")]

    private func text(_ bytes: [UInt8]) -> (json: String, isPlain: Bool)? {
        guard let value = PickleReader.value(bytes) else { return nil }
        var text = PickleText()
        return (text.json(value).text, text.isPlain)
    }

    @Test("a pickle nested 400,000 deep is cut, and released")
    func depth() {
        let count = 400_000
        let lists: [UInt8] = Array(repeating: UInt8(ascii: "]"), count: count)
        let appends = Array(repeating: UInt8(ascii: "a"), count: count - 1)
        let found = text([0x80, 2] + lists + appends + Self.end)
        #expect(found?.isPlain == false)
        #expect(found?.json.hasPrefix("[[[[") == true && found?.json.contains("…") == true)
        // The same downwards: each new list is put into the one before by its memo.
        var down: [UInt8] = [0x80, 2] + Array("]q\u{0}".utf8)
        for _ in 0..<20_000 {
            down += Array("h\u{0}]q\u{1}ah\u{1}q\u{0}0".utf8)
        }
        #expect(text(down + Array("h\u{0}".utf8) + Self.end) != nil)
        #expect(text([0x80, 2, 0x29] + Array(repeating: 0x85, count: count) + Self.end) != nil)
    }

    @Test("one element after the other is added in time that grows with their number")
    func appending() {
        var bytes: [UInt8] = [0x80, 2, UInt8(ascii: "]")]
        for _ in 0..<150_000 { bytes += [UInt8(ascii: "N"), UInt8(ascii: "a")] }
        let took = processorTime { #expect(text(bytes + Self.end) != nil) }
        #expect(took < 20)
    }

    @Test("lengths of 63 bits, and parts that are marks or not there, are refused")
    func lengths() {
        let length: [UInt8] = [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F]
        for code: UInt8 in [0x8D, 0x8E, 0x96] {
            #expect(text([0x80, 4, code] + length + Self.end) == nil)
        }
        for body in ["(a.", "((\u{85}.", "(2.", "(q\u{0}.", "(.", "]s.", "}Ns.", "o.", "b.", "R."] {
            #expect(text([0x80, 2] + body.unicodeScalars.map { UInt8($0.value) }) == nil)
        }
        let long = [UInt8(0x8B), 0, 0, 0x10, 0] + Array(repeating: 1, count: 1 << 20)
        #expect(text([0x80, 2] + long + Self.end) == nil)
    }

    @Test("keys in keys do not double their text")
    func keys() {
        var pickle: [UInt8] = [0x80, 2] + Array("X\u{1}\u{0}\u{0}\u{0}\"".utf8)
        for index in UInt8(0)..<50 {
            pickle += [UInt8(ascii: "q"), index, UInt8(ascii: "0"), UInt8(ascii: "}")]
            pickle += [UInt8(ascii: "h"), index, 0x85, UInt8(ascii: "N"), UInt8(ascii: "s")]
        }
        #expect((text(pickle + Self.end)?.json.utf8.count ?? .max) < 1 << 20)
        let packed = Array(repeating: UInt8(0x81), count: 40) + [0xA1, UInt8(ascii: "\"")]
        let value = MessagePackReader.value(packed + Array(repeating: 0xC0, count: 40))
        #expect((value?.text.utf8.count ?? 0) < 1 << 20)
        #expect(value == nil)
    }

    @Test("a text that is held many times is not told without a bound")
    func shared() {
        var pickle: [UInt8] = [0x80, 2, UInt8(ascii: "X"), 0, 0, 0x10, 0]
        pickle += Array(repeating: UInt8(ascii: "x"), count: 1 << 20)
        pickle += [UInt8(ascii: "q"), 0, UInt8(ascii: "]"), UInt8(ascii: "(")]
        for _ in 0..<10_000 { pickle += [UInt8(ascii: "h"), 0] }
        let found = text(pickle + [UInt8(ascii: "e")] + Self.end)
        #expect((found?.json.utf8.count ?? .max) < 20 << 20)
        #expect(found?.isPlain == false)
    }

    private struct Draw {
        var state: UInt64
        mutating func next(_ limit: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % limit
        }
    }

    @Test("any mutated payload is read or refused by every reader", arguments: 0..<200)
    func mutated(seed: Int) {
        var draw = Draw(state: UInt64(seed) &* 0x9E37_79B9_7F4A_7C15 &+ 1)
        let codes =
            Array("()]}.0125NKMJIVXSTUCBcRboiPQaelstduqrphjgGFL".utf8)
            + [0x80, 0x81, 0x85, 0x86, 0x87, 0x88, 0x8A, 0x8B, 0x8C, 0x8D, 0x8E, 0x8F, 0x90, 0x91]
            + [0x92, 0x93, 0x94, 0x95, 0x96, 0xFF, 0x7F, 0, 10]
        for _ in 0..<40 {
            var bytes = [Packed.call, Packed.second, Packed.fifth, Packed.oldest][draw.next(4)]
            for _ in 0...draw.next(12) {
                let byte = codes[draw.next(codes.count)]
                if draw.next(2) == 0 {
                    bytes.insert(byte, at: draw.next(bytes.count))
                } else {
                    bytes[draw.next(bytes.count)] = byte
                }
            }
            #expect((text(bytes)?.json.utf8.count ?? 0) < 1 << 22)
            #expect((MessagePackReader.value(bytes)?.text.utf8.count ?? 0) < 1 << 22)
            #expect((ProtobufReader.value(bytes)?.text.utf8.count ?? 0) < 1 << 22)
            #expect((Zlib.content(bytes)?.count ?? 0) <= Zlib.limitBytes)
            _ = try? JSONValue.parse(bytes)
            _ = (RQJob([:]), ARQJob(bytes).payload, HueyMessage(bytes)?.payload)
        }
    }
}

/// The processor time of this thread that a body takes, in seconds.
private func processorTime(_ body: () throws -> Void) rethrows -> Double {
    let start = SystemClock.threadNanoseconds()
    try body()
    return Double(SystemClock.threadNanoseconds() - start) / 1e9
}
