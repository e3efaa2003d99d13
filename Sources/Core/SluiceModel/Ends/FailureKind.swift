/// The common part of similar errors: the text without numbers, ids, times and quoted parts.
///
/// Stores use it as a key for counts, so its spelling for an error must never change.
package struct FailureKind: Hashable, Sendable {
    /// The text, with `#` and `"…"` for omitted and quoted parts; at most 200 characters.
    package let text: String

    /// The number of characters of an error to scan.
    private static let limit = 400
    /// The maximum length of the text.
    private static let textLimit = 200

    package init(of error: String) {
        var scanner = KindScanner(Array(error.unicodeScalars.prefix(Self.limit)))
        let text = String(scanner.scan().prefix(Self.textLimit))
        self.text = text.isEmpty ? "no error" : text
    }

    /// The kind of a text that another one made.
    package init(text: String) { self.text = text }

    /// The pieces that each error of the kind contains, in this order.
    package var pieces: [String] {
        text.split(separator: "\"…\"", omittingEmptySubsequences: false)
            .joined(separator: "#").split { $0 == "#" || $0 == " " }.map(String.init)
    }

    /// The key in stores: positive, and the same on every machine.
    package var key: Int64 {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01b3 }
        return Int64(hash >> 2) + 1
    }

    /// The key as filters and commands spell it.
    package var name: String { Self.name(of: key) }

    /// A key as filters and commands spell it.
    package static func name(of key: Int64) -> String { String(key, radix: 36) }
}

/// Reads an error once from its beginning.
private struct KindScanner {
    private let input: [Unicode.Scalar]
    private var place = 0
    private var output = String.UnicodeScalarView()

    init(_ input: [Unicode.Scalar]) { self.input = input }

    private static let closing: [Unicode.Scalar: Unicode.Scalar] = [
        "\"": "\"", "'": "'", "`": "`", "“": "”", "‘": "’", "«": "»",
    ]

    mutating func scan() -> String {
        while place < input.count {
            let scalar = input[place]
            if scalar.properties.isWhitespace || scalar.properties.generalCategory == .control {
                putSpace()
            } else if let end = endOfQuote() {
                output.append(contentsOf: "\"…\"".unicodeScalars)
                place = end + 1
            } else if Self.isWordPart(scalar) {
                putWord()
            } else {
                output.append(scalar)
                place += 1
            }
        }
        var text = String(output)
        while text.last == " " { text.removeLast() }
        return text
    }

    private mutating func putSpace() {
        if let last = output.last, last != " " { output.append(" ") }
        place += 1
    }

    /// The end of a quoted part that begins here. A quote after a letter is an apostrophe.
    private func endOfQuote() -> Int? {
        guard let closing = Self.closing[input[place]] else { return nil }
        if place > 0, Self.isWordPart(input[place - 1]) { return nil }
        return input[(place + 1)...].firstIndex(of: closing)
    }

    /// A run of letters and digits: as it is if it has no digit.
    private mutating func putWord() {
        let end = input[place...].firstIndex { !Self.isWordPart($0) } ?? input.count
        let word = input[place..<end]
        place = end
        guard word.contains(where: Self.isDigit) || isHexOfUUID(word) else {
            return output.append(contentsOf: word)
        }
        let letters = word.prefix { !Self.isDigit($0) }
        let isName = word.dropFirst(letters.count).allSatisfy(Self.isDigit)
        let isHex =
            (word.count >= 6 || isAfterNumber) && word.allSatisfy(\.properties.isASCIIHexDigit)
        if isName, !isHex, !letters.isEmpty {
            output.append(contentsOf: letters)
            output.append("#")
        } else {
            putNumber()
        }
    }

    /// Numbers that a joiner holds together are one: a date, a version, an address.
    private mutating func putNumber() {
        let tail = Array(output.suffix(2))
        if tail.count == 2, tail[0] == "#", Self.joiners.contains(tail[1]) {
            output.removeLast()
        } else if tail.last != "#" {
            output.append("#")
        }
    }

    private static let joiners: Set<Unicode.Scalar> = ["-", ".", ":", ",", "/", "+"]

    /// Four letters of a UUID may all be letters.
    private func isHexOfUUID(_ word: ArraySlice<Unicode.Scalar>) -> Bool {
        [4, 8, 12].contains(word.count) && word.allSatisfy(\.properties.isASCIIHexDigit)
            && isAfterNumber
    }

    /// Whether the output ends with a joiner after a number.
    private var isAfterNumber: Bool { Array(output.suffix(2)) == ["#", "-"] }

    private static func isDigit(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.numericType != nil
    }

    private static func isWordPart(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.isAlphabetic || isDigit(scalar) || scalar == "_"
    }
}
