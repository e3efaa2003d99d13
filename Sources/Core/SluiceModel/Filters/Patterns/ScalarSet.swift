/// The letters that one place of a regular expression may have.
struct ScalarSet: Hashable, Sendable {
    enum Item: Hashable, Sendable {
        case range(ClosedRange<UInt32>)
        case digit, word, blank
        case noDigit, noWord, noBlank
    }

    var items: [Item]
    var isNegated = false
    private var bothCases = false

    init(_ items: [Item], isNegated: Bool = false) {
        self.items = items
        self.isNegated = isNegated
    }

    /// Every letter but the end of a line.
    static let any = ScalarSet([.range(10...10)], isNegated: true)

    static func one(_ scalar: UInt32) -> ScalarSet { ScalarSet([.range(scalar...scalar)]) }

    /// The same for letters that are given as small ones and meant in either case.
    var ignoringCase: ScalarSet {
        var set = self
        if items.count == 1, !isNegated, case .range(let range) = items[0], range.count == 1 {
            let small = Self.small(range.lowerBound)
            set.items = [.range(small...small)]
        } else {
            set.bothCases = true
        }
        return set
    }

    func contains(_ scalar: UInt32) -> Bool {
        var isIn = items.contains { Self.holds($0, scalar) }
        if !isIn, bothCases {
            let large = Self.large(scalar)
            isIn = items.contains { Self.holds($0, large) }
        }
        return isIn != isNegated
    }

    private static func holds(_ item: Item, _ scalar: UInt32) -> Bool {
        switch item {
        case .range(let range): range.contains(scalar)
        case .digit: isDigit(scalar)
        case .word: isWord(scalar)
        case .blank: isBlank(scalar)
        case .noDigit: !isDigit(scalar)
        case .noWord: !isWord(scalar)
        case .noBlank: !isBlank(scalar)
        }
    }

    static func isDigit(_ scalar: UInt32) -> Bool { (48...57).contains(scalar) }

    static func isWord(_ scalar: UInt32) -> Bool {
        if scalar < 0x80 {
            return isDigit(scalar) || (65...90).contains(scalar) || (97...122).contains(scalar)
                || scalar == 95
        }
        return Unicode.Scalar(scalar).map { $0.properties.isAlphabetic } ?? false
    }

    static func isBlank(_ scalar: UInt32) -> Bool {
        if scalar < 0x80 { return scalar == 32 || (9...13).contains(scalar) }
        return Unicode.Scalar(scalar).map { $0.properties.isWhitespace } ?? false
    }

    /// The small letter of one, if it is one letter.
    static func small(_ scalar: UInt32) -> UInt32 {
        if scalar < 0x80 { return (65...90).contains(scalar) ? scalar + 32 : scalar }
        return mapped(scalar) { $0.properties.lowercaseMapping }
    }

    private static func large(_ scalar: UInt32) -> UInt32 {
        if scalar < 0x80 { return (97...122).contains(scalar) ? scalar - 32 : scalar }
        return mapped(scalar) { $0.properties.uppercaseMapping }
    }

    private static func mapped(
        _ scalar: UInt32, _ mapping: (Unicode.Scalar) -> String
    ) -> UInt32 {
        guard let letter = Unicode.Scalar(scalar) else { return scalar }
        let mapped = mapping(letter).unicodeScalars
        guard mapped.count == 1, let only = mapped.first else { return scalar }
        return only.value
    }
}
