import SluiceModel
import Testing

@Suite("runs of plain bytes")
struct PlainRunTests {
    private static let specials = [
        "\"", "\\", "\n", "\u{0}", "\u{1f}", "\u{7f}", "\u{80}", "\u{9f}", "\u{a0}", "é", "Â",
        "漢", "🙂", " ", "!", "\u{ad}", "\u{ae}", "\u{61b}", "\u{61c}", "\u{180d}", "\u{180e}",
        "\u{200a}", "\u{200b}", "\u{200d}", "\u{200f}", "\u{2010}", "\u{2027}", "\u{2028}",
        "\u{202e}", "\u{202f}", "\u{2066}", "\u{2070}", "\u{feff}", "\u{fff9}", "\u{fffd}",
    ]
    private static let deceptive: [ClosedRange<UInt32>] = [
        0xAD...0xAD, 0x61C...0x61C, 0x180E...0x180E, 0x200B...0x200B, 0x200E...0x200F,
        0x2028...0x202E, 0x2060...0x206F, 0xFEFF...0xFEFF, 0xFFF9...0xFFFB,
    ]

    /// The same written sign by sign, as the rule of the text says.
    private static func written(_ text: String) -> String {
        let short: [Unicode.Scalar: String] = [
            "\"": "\\\"", "\\": "\\\\", "\u{8}": "\\b", "\u{c}": "\\f", "\n": "\\n", "\r": "\\r",
            "\t": "\\t",
        ]
        var found = "\""
        for scalar in text.unicodeScalars {
            let isControl =
                scalar.value < 32 || (0x7F..<0xA0).contains(scalar.value)
                || deceptive.contains { $0.contains(scalar.value) }
            let digits = String(scalar.value, radix: 16)
            let long = "\\u" + String(repeating: "0", count: 4 - min(4, digits.count)) + digits
            found += short[scalar] ?? (isControl ? long : String(scalar))
        }
        return found + "\""
    }

    @Test("a text of any length is written and read again, whatever stands at which place")
    func texts() throws {
        for special in Self.specials {
            for length in 0..<20 {
                for place in 0...length {
                    let plain = String(repeating: "a", count: length)
                    let text = plain.prefix(place) + special + plain.dropFirst(place)
                    let json = JSONValue.string(String(text))
                    #expect(json.text == Self.written(String(text)))
                    #expect(try JSONValue.parse(json.bytes) == json)
                }
            }
        }
    }

    @Test("a tag that hides text is escaped as two surrogates and read again")
    func tags() throws {
        let json = JSONValue.string("a\u{e0001}\u{e007f}\u{e0100}")
        #expect(json.text == #""a\udb40\udc01\udb40\udc7f\#u{e0100}""#)
        #expect(try JSONValue.parse(json.bytes) == json)
    }

    @Test("a slash is escaped where that is asked for")
    func slashes() {
        let text = JSONValue.string("a/b\n/").text(indent: nil, escapeSlashes: true)
        #expect(text == #""a\/b\n\/""#)
    }

    @Test("a control character is refused at any place of a text")
    func controls() {
        for length in 0..<20 {
            let plain = String(repeating: "a", count: length)
            for control in ["\u{0}", "\u{1f}", "\n"] {
                #expect(throws: JSONError.self) { try JSONValue.parse("\"\(plain)\(control)aa\"") }
            }
        }
    }

    @Test("bytes of any length come back from base64, and what encode would not write is refused")
    func base64() {
        for length in 0..<40 {
            let bytes = (0..<length).map { UInt8(truncatingIfNeeded: $0 * 37 + length) }
            let text = Base64.encode(bytes)
            #expect(text.utf8.count == (length + 2) / 3 * 4)
            #expect(Base64.decode(text) == bytes)
        }
        #expect(Base64.encode(Array("Sluice".utf8)) == "U2x1aWNl")
        #expect(Base64.encode(Array("Slui".utf8)) == "U2x1aQ==")
        for text in ["U", "U2x1a", "U2x1aR==", "U2x1aW2=", "U2=1", "====", "U2x é", "U===", "A=AA"]
        {
            #expect(Base64.decode(text) == nil, "\(text)")
        }
    }
}
