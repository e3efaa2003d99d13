/// Text for a case-insensitive search.
package struct FoldedLetters: Hashable, Sendable {
    /// The original text.
    package let text: String
    /// In small letters, as UTF-8.
    private let bytes: [UInt8]
    let isASCII: Bool

    package init(_ text: String) {
        self.text = text
        bytes = Self.folded(text.unicodeScalars)
        isASCII = bytes.allSatisfy { $0 < 0x80 }
    }

    /// Two are the same that find the same.
    package static func == (left: FoldedLetters, right: FoldedLetters) -> Bool {
        left.bytes == right.bytes
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(bytes) }

    package func stand(in text: String) -> Bool {
        var text = text
        return text.withUTF8 { stand(in: $0) }
    }

    /// Whether they occur in UTF-8 bytes.
    package func stand(in bytes: [UInt8]) -> Bool {
        bytes.withUnsafeBufferPointer { stand(in: $0) }
    }

    /// The same of bytes that lie somewhere else.
    package func stand(in text: UnsafeBufferPointer<UInt8>) -> Bool {
        end(in: text, from: 0) != nil
    }

    /// The end of the first occurrence from `start` on. For text outside ASCII, an offset in the
    /// folded text.
    private func end(in text: UnsafeBufferPointer<UInt8>, from start: Int) -> Int? {
        guard !isASCII else { return Self.end(of: bytes, in: text, from: start, folds: true) }
        let folded = Self.folded(String(decoding: text, as: UTF8.self).unicodeScalars)
        return folded.withUnsafeBufferPointer {
            Self.end(of: bytes, in: $0, from: start, folds: false)
        }
    }

    /// Whether all of these occur in a text, in order.
    static func stand(_ pieces: [FoldedLetters], in text: String) -> Bool {
        guard !pieces.allSatisfy(\.isASCII) else {
            var text = text
            return text.withUTF8 { stand(pieces, in: $0, folds: true) }
        }
        return folded(text.unicodeScalars).withUnsafeBufferPointer {
            stand(pieces, in: $0, folds: false)
        }
    }

    private static func stand(
        _ pieces: [FoldedLetters], in text: UnsafeBufferPointer<UInt8>, folds: Bool
    ) -> Bool {
        var place = 0
        for piece in pieces {
            guard let end = end(of: piece.bytes, in: text, from: place, folds: folds) else {
                return false
            }
            place = end
        }
        return true
    }

    /// The occurrences in a text as ranges of characters, for highlighting.
    package func ranges(in text: String) -> [Range<Int>] {
        let wanted = Array(self.text.lowercased())
        let letters = text.map { $0.lowercased() }
        guard !wanted.isEmpty, wanted.count <= letters.count else { return [] }
        var found: [Range<Int>] = []
        var place = 0
        while place + wanted.count <= letters.count {
            let isHere = wanted.indices.allSatisfy { letters[place + $0] == String(wanted[$0]) }
            if isHere { found.append(place..<place + wanted.count) }
            place += isHere ? wanted.count : 1
        }
        return found
    }

    private static func end(
        of wanted: [UInt8], in text: UnsafeBufferPointer<UInt8>, from start: Int, folds: Bool
    ) -> Int? {
        text.end(of: wanted, from: start) { small($0, folds) }
    }

    @inline(__always)
    private static func small(_ byte: UInt8, _ folds: Bool) -> UInt8 {
        folds && byte &- 65 < 26 ? byte | 32 : byte
    }

    private static func folded(_ scalars: String.UnicodeScalarView) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(scalars.count)
        for scalar in scalars {
            if scalar.isASCII {
                bytes.append(small(UInt8(scalar.value), true))
            } else {
                bytes += scalar.properties.lowercaseMapping.utf8
            }
        }
        return bytes
    }
}
