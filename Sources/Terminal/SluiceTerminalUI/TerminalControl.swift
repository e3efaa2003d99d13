/// Byte sequences that a terminal is sent beside the picture.
package enum TerminalControl {
    /// A longer text is not copied: terminals drop it in silence.
    package static let maximumClipboardBytes = 72 * 1024

    /// Rings the bell.
    package static let bell: [UInt8] = [0x07]
    /// Asks for the colour of the ground (OSC 11); the answer comes as `InputEvent.ground`.
    package static let askBackground = Array("\u{1b}]11;?\u{07}".utf8)

    /// Turns reports of the mouse and bracketed paste on.
    package static func modesOn(mouse: Bool) -> [UInt8] {
        Array(((mouse ? "\u{1b}[?1000h\u{1b}[?1006h" : "") + "\u{1b}[?2004h").utf8)
    }

    /// Turns them off, all of them.
    package static let modesOff = Array("\u{1b}[?1006l\u{1b}[?1000l\u{1b}[?2004l".utf8)

    /// Puts a text on the clipboard of the person's terminal (OSC 52); nil when it is longer
    /// than `maximumClipboardBytes`.
    package static func copy(_ text: String) -> [UInt8]? {
        let bytes = Array(text.utf8)
        guard bytes.count <= maximumClipboardBytes else { return nil }
        return Array("\u{1b}]52;c;".utf8) + Base64.encoded(bytes) + [0x07]
    }

    /// A string of terminfo without its marks of delay, `$<5>`.
    package static func withoutDelays(_ bytes: [UInt8]) -> [UInt8] {
        var kept: [UInt8] = []
        var rest = bytes[...]
        while let first = rest.first {
            if rest.starts(with: Array("$<".utf8)), let end = rest.firstIndex(of: 0x3e) {
                rest = rest[(end + 1)...]
            } else {
                kept.append(first)
                rest = rest.dropFirst()
            }
        }
        return kept
    }
}
