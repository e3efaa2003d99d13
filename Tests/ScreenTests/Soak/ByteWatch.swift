import SluiceTestSupport

/// Checks every byte of a console's output for sequences that it should not write.
struct ByteWatch {
    private(set) var seen = 0
    /// The kinds of escape sequences that came.
    private(set) var kinds: Set<String> = []
    /// Unexpected sequences, with their context.
    private(set) var foreign: [String] = []

    private var carried: [UInt8] = []

    /// The sequences that the console and its library write. They include the background query, the
    /// clipboard and the cursor query, and no other string sequence.
    private static let own: Set<String> = [
        "CSI ?h", "CSI ?l", "CSI t", "CSI r", "CSI m", "CSI l", "CSI h", "CSI H", "CSI J", "CSI K",
        "CSI X", "CSI G", "CSI d", "CSI P", "CSI @", "CSI L", "CSI M", "CSI A", "CSI B", "CSI C",
        "CSI D", "CSI c", "CSI n", "CSI S", "CSI T", "CSI b", "ESC (", "ESC =", "ESC >", "ESC 7",
        "ESC 8", "ESC M", "OSC 11", "OSC 52",
    ]

    /// Reads what came since the last look.
    mutating func look(at terminal: TerminalSession) throws {
        try terminal.update()
        let count = terminal.received.count - seen
        guard count <= terminal.received.tail.count else {
            foreign.append("\(count) bytes came at once, too many to be looked at")
            return
        }
        let new = Array(terminal.received.tail.suffix(count))
        seen = terminal.received.count
        // The last chunk may have cut a sequence, so check its end again.
        let bytes = carried + new
        examine(String(decoding: bytes, as: UTF8.self))
        carried = bytes.lastIndex(of: 0x1b).map { Array(bytes[$0...]) } ?? []
    }

    /// Looks at a text as at what a console wrote.
    mutating func examine(_ text: String) {
        if text.contains("[31mEVIL") || text.contains("]0;pwn") {
            // The words alone are the console's own way to show them.
            for evil in ["\u{1b}[31mEVIL", "\u{1b}]0;pwn"] where text.contains(evil) {
                foreign.append(evil.debugDescription)
            }
        }
        let scalars = Array(text.unicodeScalars)
        for (index, scalar) in scalars.enumerated() {
            switch scalar.value {
            case 0x1b:
                guard let kind = Self.kind(scalars[(index + 1)...]) else { continue }
                kinds.insert(kind)
                if !Self.own.contains(kind) { report(kind, scalars, index) }
            case 0x08, 0x0a, 0x0d: continue
            // The end of a question to the terminal.
            case 0x07:
                let isEnd =
                    scalars[..<index].reversed().prefix { $0 != "\u{1b}" }
                    .last == "]"
                if !isEnd { report("bell", scalars, index) }
            case 0..<0x20, 0x7f, 0x80...0x9f, 0x200b, 0x202a...0x202e, 0x2066...0x2069:
                report("U+" + String(scalar.value, radix: 16), scalars, index)
            default: continue
            }
        }
    }

    private mutating func report(_ what: String, _ scalars: [Unicode.Scalar], _ index: Int) {
        var text = String.UnicodeScalarView()
        text.append(contentsOf: scalars[max(0, index - 10)..<min(scalars.count, index + 20)])
        if foreign.count < 20 { foreign.append("\(what): \(String(text).debugDescription)") }
    }

    /// The kind of the sequence after an escape; nil for a part of one.
    private static func kind(_ rest: ArraySlice<Unicode.Scalar>) -> String? {
        guard let first = rest.first else { return nil }
        let digits = rest.dropFirst()
        switch first {
        case "[":
            guard let end = digits.first(where: { (0x40...0x7e).contains($0.value) }) else {
                return nil
            }
            return "CSI " + (digits.first == "?" ? "?" : "") + String(end)
        case "]":
            return "OSC " + String(String.UnicodeScalarView(digits.prefix { $0 != ";" }))
        default: return "ESC \(first)"
        }
    }
}
