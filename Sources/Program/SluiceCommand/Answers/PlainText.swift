import SluiceModel
import SluiceTerminalUI

/// Output for a terminal whose character set is not UTF-8: ASCII alone.
enum PlainText {
    /// A text with each sign of ours by its twin (`→` by `>`), and any other character by its
    /// number, as `\u{e9}`.
    static func of(_ text: String) -> String {
        var plain = ""
        for scalar in text.unicodeScalars {
            if scalar.isASCII {
                plain.unicodeScalars.append(scalar)
            } else if let twin = GlyphSet.twins[scalar] {
                plain.unicodeScalars.append(twin)
            } else {
                plain += "\\u{\(String(scalar.value, radix: 16))}"
            }
        }
        return plain
    }

    /// JSON with each other character escaped, which means the same.
    static func ofJSON(_ text: String) -> String {
        guard !text.utf8.allSatisfy({ $0 < 0x80 }) else { return text }
        var plain = ""
        for unit in text.utf16 {
            if unit < 0x80 {
                plain.unicodeScalars.append(Unicode.Scalar(UInt8(unit)))
            } else {
                let digits = String(unit, radix: 16)
                plain += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            }
        }
        return plain
    }
}

extension Host {
    /// Whether the character set is UTF-8, by the variables that say so.
    var speaksUTF8: Bool {
        let value = ["LC_ALL", "LC_CTYPE", "LANG"].compactMap(environment).first { !$0.isEmpty }
        guard let value = value?.uppercased() else { return true }
        return value.place(of: "UTF-8") != nil || value.place(of: "UTF8") != nil
    }

    /// The signs that the terminal can show. The fonts of the Linux console lack most of the signs
    /// of charts and bars.
    func glyphs(isASCII: Bool) -> GlyphSet {
        let isPlain = isASCII || !speaksUTF8 || environment("TERM") == "linux"
        return isPlain ? .ascii : .unicode
    }

    /// The same machine, whose output is ASCII.
    func writingASCII(asJSON: Bool) -> Host {
        var host = self
        let write = write
        host.write = { text, output in
            try write(asJSON ? PlainText.ofJSON(text) : PlainText.of(text), output)
        }
        return host
    }
}
