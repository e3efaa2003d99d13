/// Byte sequences for the terminal, in addition to the picture.
package enum TerminalControl {
    /// A longer text is not copied: terminals drop it in silence.
    package static let maximumClipboardBytes = 72 * 1024

    package static let bell: [UInt8] = [0x07]
    /// Asks for the colour of the ground (OSC 11); the answer comes as `InputEvent.ground`.
    package static let askBackground = Array("\u{1b}]11;?\u{07}".utf8)

    /// Queries which emoji sequences the terminal draws as one. It writes one of each kind to a
    /// separate row, and the cursor position follows as `InputEvent.cursor`. An answer in the first
    /// row would look like a key. The caller must repaint over them.
    package static let askJoins = Array(
        joinQuestions.enumerated().map { row, question in
            "\u{1b}[\(row + 2);1H\(question.picture)\u{1b}[6n"
        }.joined().utf8)

    /// The kind of emoji in an answer to `askJoins`, and whether the terminal joins them. `nil` for
    /// other cursor positions.
    package static func joins(_ cursor: Point) -> (kind: PictureJoins, isJoined: Bool)? {
        guard joinQuestions.indices.contains(cursor.y - 1) else { return nil }
        return (joinQuestions[cursor.y - 1].kind, cursor.x == 2)
    }

    private static let joinQuestions: [(kind: PictureJoins, picture: String)] = [
        (.parts, "\u{1f469}\u{200d}\u{1f469}\u{200d}\u{1f467}"), (.tones, "\u{1f44d}\u{1f3fd}"),
    ]

    /// Undoes what another program may have left: origin mode, a scroll region, colours, insert
    /// mode, no wrapping at the margin, another character set.
    package static let plain = Array(
        "\u{1b}[?6l\u{1b}[r\u{1b}[0m\u{1b}[4l\u{1b}[?7h\u{1b}(B\u{0f}".utf8)

    /// Turns reports of the mouse and bracketed paste on.
    package static func modesOn(mouse: Bool) -> [UInt8] {
        Array(((mouse ? "\u{1b}[?1000h\u{1b}[?1006h" : "") + "\u{1b}[?2004h").utf8)
    }

    /// Turns them off, all of them.
    package static let modesOff = Array("\u{1b}[?1006l\u{1b}[?1000l\u{1b}[?2004l".utf8)

    /// Puts a text on the clipboard of the person's terminal (OSC 52); nil when it is longer
    /// than `maximumClipboardBytes`. GNU screen drops it unless it is wrapped, in short pieces, as
    /// strings for the terminal outside.
    package static func copy(_ text: String, throughScreen: Bool = false) -> [UInt8]? {
        let bytes = Array(text.utf8)
        guard bytes.count <= maximumClipboardBytes else { return nil }
        let sequence = Array("\u{1b}]52;c;".utf8) + Base64.encoded(bytes) + [0x07]
        return throughScreen ? wrapped(sequence) : sequence
    }

    /// Shows a text on the person's desktop (OSC 9). Terminals that do not know it show nothing.
    ///
    /// The name comes first: some terminals take a number there as another order.
    package static func notice(_ text: String, throughScreen: Bool = false) -> [UInt8] {
        let safe = text.unicodeScalars.prefix(noticeLimit).map { scalar in
            scalar.properties.generalCategory == .control ? " " : Character(scalar)
        }
        let sequence = Array("\u{1b}]9;sluice: \(String(safe))\u{07}".utf8)
        return throughScreen ? wrapped(sequence) : sequence
    }

    /// Desktops cut longer texts.
    private static let noticeLimit = 200

    private static func wrapped(_ sequence: [UInt8]) -> [UInt8] {
        stride(from: 0, to: sequence.count, by: screenPiece).flatMap { start in
            Array("\u{1b}P".utf8)
                + sequence[start..<min(start + screenPiece, sequence.count)]
                + Array("\u{1b}\\".utf8)
        }
    }

    /// GNU screen takes strings of 256 bytes in its oldest versions.
    private static let screenPiece = 240

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
