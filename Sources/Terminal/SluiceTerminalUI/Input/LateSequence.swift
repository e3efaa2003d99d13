/// The bytes of a sequence abandoned after a timeout.
///
/// The decoder discards its later bytes. So the rest of an answer, a mouse report or a key never
/// acts as a key.
struct LateSequence: Sendable {
    /// Its bytes so far.
    var bytes: [UInt8]
    /// Whether its escape has already become the key Escape.
    let isEscapeKey: Bool
    /// Whether that escape may have been the end of a string.
    private let endsString: Bool

    init(_ bytes: [UInt8], isEscapeKey: Bool, endsString: Bool = false) {
        (self.bytes, self.isEscapeKey, self.endsString) = (bytes, isEscapeKey, endsString)
    }

    /// Whether it is a string, which ends with `ESC \`.
    var isString: Bool {
        bytes.count > 1 && bytes[0] == InputDecoder.escape && "]PX^_".utf8.contains(bytes[1])
    }

    /// How long its next byte is waited for. After the key Escape a person may type a bracket.
    var timeoutMilliseconds: Int { isEscapeKey && bytes.count == 1 ? 500 : 2_000 }

    /// Whether a further byte extends the time: the answers of terminals are shorter than this.
    var extendsTime: Bool { bytes.count <= 64 }

    /// Whether a byte may belong to it. After the key Escape only what begins a sequence does.
    func mayGoOn(with byte: UInt8, awaitsAnswer: Bool) -> Bool {
        guard isEscapeKey, bytes.count == 1 else { return true }
        return byte == UInt8(ascii: "[") || byte == UInt8(ascii: "O")
            || awaitsAnswer && byte == UInt8(ascii: "]")
            || endsString && byte == UInt8(ascii: "\\")
    }
}

extension InputEvent {
    /// Whether it is an answer to a question of the program.
    var isAnswer: Bool {
        switch self {
        case .ground, .cursor: true
        case .key, .mouse, .paste, .focus, .unknown: false
        }
    }
}
