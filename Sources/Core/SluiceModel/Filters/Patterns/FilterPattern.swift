/// What a word means by a value: the value itself, or one with any letters where a `*` stands.
package struct FilterPattern: Hashable, Sendable {
    /// What stands before, between and behind the `*`, composed as names are; one piece where there
    /// is none.
    package let pieces: [String]

    /// A value as it is.
    package init(_ text: String) { self.init(pieces: [text]) }

    /// A value with any letters between its pieces.
    package init(pieces: [String]) {
        self.pieces = pieces.isEmpty ? [""] : pieces.map(Names.composed)
    }

    /// The one value that is meant; nil where several may be.
    package var exact: String? { pieces.count == 1 ? pieces[0] : nil }

    /// Whether the value is meant, letter for letter.
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

    /// Whether its pieces stand in the value one behind the other, whatever their case.
    package func stands(in value: String) -> Bool {
        FoldedLetters.stand(pieces.map(FoldedLetters.init), in: value)
    }

    /// What each value in which it stands holds by itself. Beside letters beyond ASCII the others
    /// are compared as those are, so that nothing is said of them.
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
