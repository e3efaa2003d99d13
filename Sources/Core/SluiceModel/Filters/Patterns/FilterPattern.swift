/// A pattern for a value: exact, or with any characters in place of `*`.
package struct FilterPattern: Hashable, Sendable {
    /// The pieces before, between and after each `*`, in composed form like names; one piece
    /// without a `*`.
    package let pieces: [String]
    /// The exact value in the spelling that was typed, because other systems' names are bytes;
    /// `nil` for a pattern with `*`.
    package let typed: String?

    package init(_ text: String) { self.init(pieces: [text]) }

    /// A value with any letters between its pieces.
    package init(pieces: [String]) {
        self.pieces = pieces.isEmpty ? [""] : pieces.map(Names.composed)
        typed = pieces.count == 1 ? pieces[0] : nil
    }

    /// The exact value; `nil` for a pattern with `*`.
    package var exact: String? { pieces.count == 1 ? pieces[0] : nil }

    /// Whether it matches the whole value, case-sensitively.
    package func means(_ value: String) -> Bool {
        if let exact { return value == exact }
        let bytes = Array(value.utf8)
        let (first, last) = (Array(pieces[0].utf8), Array(pieces[pieces.count - 1].utf8))
        guard bytes.count >= first.count + last.count, bytes.starts(with: first),
            bytes.suffix(last.count).elementsEqual(last)
        else { return false }
        var rest = bytes[first.count..<bytes.count - last.count]
        for piece in pieces.dropFirst().dropLast() {
            let wanted = Array(piece.utf8)
            guard let place = Self.place(of: wanted, in: rest) else { return false }
            rest = rest[(place + wanted.count)...]
        }
        return true
    }

    /// Whether its pieces occur in the value in order, regardless of case.
    package func stands(in value: String) -> Bool {
        FoldedLetters.stand(pieces.map(FoldedLetters.init), in: value)
    }

    /// The letters that every matching value contains. If some letters are not ASCII, only these
    /// are certain, because they change the comparison of the others.
    var demandedLetters: [FoldedLetters] {
        let letters = pieces.filter { !$0.isEmpty }.map(FoldedLetters.init)
        let others = letters.filter { !$0.isASCII }
        return others.isEmpty ? letters : others
    }

    private static func place(of wanted: [UInt8], in bytes: ArraySlice<UInt8>) -> Int? {
        var place = bytes.startIndex
        while place + wanted.count <= bytes.endIndex {
            if bytes[place..<place + wanted.count].elementsEqual(wanted) { return place }
            place += 1
        }
        return nil
    }
}
