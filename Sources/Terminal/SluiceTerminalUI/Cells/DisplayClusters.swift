/// The visible signs of any text, made harmless (K11): no scalar that comes out of it can steer
/// a terminal, reorder a line or take another width than it says.
struct DisplayClusters: Sequence, IteratorProtocol {
    private var scalars: String.UnicodeScalarView.Iterator
    private var pending: Unicode.Scalar?
    /// Visible forms longer than one sign, still to come, last first.
    private var spelled: [Unicode.Scalar] = []
    private let glyphs: GlyphSet
    private let place: DisplayPlace

    init(_ text: String, glyphs: GlyphSet = .unicode, in place: DisplayPlace = .cells) {
        scalars = text.unicodeScalars.makeIterator()
        self.glyphs = glyphs
        self.place = place
    }

    mutating func next() -> DisplayCluster? {
        if let scalar = spelled.popLast() {
            return DisplayCluster(scalar, width: CharacterWidth.of(scalar) ?? 1)
        }
        while let scalar = pending ?? scalars.next() {
            pending = nil
            if glyphs == .ascii, !scalar.isASCII {
                guard let twin = GlyphSet.twins[scalar] else { return spell(scalar) }
                return DisplayCluster(twin)
            }
            switch ScalarKind(scalar) {
            // Such a terminal would join it to the preceding character.
            case .plain where glyphs.joins.contains(.tones) && ScalarKind.isSkinTone(scalar):
                return spell(scalar)
            case .plain(let width):
                let cluster = DisplayCluster(scalar, width: width)
                return wholePicture(cluster) ?? joined(cluster)
            case .mark:
                return joined(start(with: scalar))
            case .control:
                return control(scalar)
            case .regionalIndicator(let letter):
                return DisplayCluster(place == .lines ? scalar : letter)
            case .deceptive:
                return spell(scalar)
            case .unknown:
                return joined(DisplayCluster("\u{fffd}"))
            case .invisible:
                continue
            }
        }
        return nil
    }

    /// A picture of several scalars in a terminal that draws it as one of two columns; where it
    /// does not fit a cell its parts follow each other. Nil where none begins with the base.
    private mutating func wholePicture(_ base: DisplayCluster) -> DisplayCluster? {
        let joins = glyphs.joins
        guard !joins.isEmpty, place == .cells, base.width == 2, ScalarKind.isPicture(base.base)
        else { return nil }
        var ahead = scalars
        var seen: [Unicode.Scalar] = []
        var whole: (length: Int, rest: String.UnicodeScalarView.Iterator)?
        while seen.count < Self.longestPicture, let scalar = ahead.next() {
            let isVariant = scalar == "\u{fe0f}"
            let isPart =
                ScalarKind.isSkinTone(scalar)
                ? joins.contains(.tones) : seen.last == Self.joiner && ScalarKind.isPicture(scalar)
            let isJoiner = scalar == Self.joiner && joins.contains(.parts)
            guard isPart || isVariant || isJoiner else { break }
            seen.append(scalar)
            if isPart || isVariant && whole != nil { whole = (seen.count, ahead) }
        }
        guard let whole else { return nil }
        let rest = seen.prefix(whole.length)
        var picture = base
        scalars = whole.rest
        if let marks = Marks(rest) {
            picture.marks = marks
        } else {
            spelled = rest.filter { ScalarKind.isPicture($0) && !ScalarKind.isSkinTone($0) }
                .reversed()
        }
        return picture
    }

    private static let joiner: Unicode.Scalar = "\u{200d}"
    /// No emoji in practice has more scalars after its base.
    private static let longestPicture = 16

    /// Takes what belongs to the sign: marks, and in lines the rest of a joined picture.
    private mutating func joined(_ cluster: DisplayCluster) -> DisplayCluster {
        var cluster = cluster
        let isPicture = ScalarKind.isPicture(cluster.base)
        var joiner: Unicode.Scalar?
        while let scalar = scalars.next() {
            if glyphs == .ascii, !scalar.isASCII {
                pending = scalar
                return cluster
            }
            switch ScalarKind(scalar) {
            case .mark where !cluster.joined.isEmpty:
                cluster.joined.append(scalar)
            case .mark:
                cluster.marks.add(scalar)
            case .invisible where scalar == Self.joiner:
                joiner = scalar
            case .invisible:
                let isVariant = scalar == "\u{fe0f}" && cluster.base.properties.isEmoji
                if place == .lines, isPicture || isVariant { cluster.joined.append(scalar) }
            case .plain where ScalarKind.isSkinTone(scalar) && isPicture:
                if place == .lines { cluster.joined.append(scalar) }
            case .deceptive where cluster.base == Self.blackFlag && cluster.joined.isEmpty:
                guard let letters = region(behind: scalar) else {
                    pending = scalar
                    return cluster
                }
                for _ in letters.dropFirst() { _ = scalars.next() }
                if place == .cells {
                    spelled = letters.dropLast().compactMap(Self.letter).reversed()
                } else {
                    cluster.joined = letters
                }
                return cluster
            default:
                guard let found = joiner, place == .lines, isPicture, ScalarKind.isPicture(scalar)
                else {
                    pending = scalar
                    return cluster
                }
                cluster.joined += [found, scalar]
                joiner = nil
            }
        }
        return cluster
    }

    /// The tags of a flag that Unicode recommends, up to the one that ends them; nil for all else,
    /// for tags can hide any text.
    private func region(behind first: Unicode.Scalar) -> [Unicode.Scalar]? {
        var ahead = scalars
        var tags = [first]
        while tags.count < 6, let scalar = ahead.next() { tags.append(scalar) }
        let name = String(String.UnicodeScalarView(tags.dropLast().compactMap(Self.letter)))
        let isKnown = ["gbeng", "gbsct", "gbwls"].contains(name) && tags.last == "\u{e007f}"
        return isKnown ? tags : nil
    }

    private static let blackFlag: Unicode.Scalar = "\u{1f3f4}"

    private static func letter(_ tag: Unicode.Scalar) -> Unicode.Scalar? {
        (0xe0061...0xe007a).contains(tag.value) ? Unicode.Scalar(tag.value - 0xe0000) : nil
    }

    /// A mark without a base appears on a dotted circle.
    private func start(with mark: Unicode.Scalar) -> DisplayCluster {
        var cluster = DisplayCluster("\u{25cc}")
        cluster.marks.add(mark)
        return cluster
    }

    private mutating func control(_ scalar: Unicode.Scalar) -> DisplayCluster {
        let value = scalar.value
        if value >= 0x80 { return spell(scalar) }
        if glyphs == .ascii {
            spelled = [Unicode.Scalar(UInt8(value ^ 0x40))]
            return DisplayCluster("^")
        }
        let picture = value == 0x7f ? 0x2421 : 0x2400 + value
        return DisplayCluster(Unicode.Scalar(picture) ?? "\u{fffd}")
    }

    /// Writes the number of a scalar, as in `\u{202e}`.
    private mutating func spell(_ scalar: Unicode.Scalar) -> DisplayCluster {
        let form = "u{" + String(scalar.value, radix: 16) + "}"
        spelled = form.unicodeScalars.reversed()
        return DisplayCluster("\\")
    }
}

/// The sanitiser's treatment of a scalar.
enum ScalarKind {
    /// Shown as it is, in this many columns.
    case plain(Int)
    /// Joins the sign before it.
    case mark
    /// C0, DEL or C1.
    case control
    /// Half a flag, shown as its letter.
    case regionalIndicator(Unicode.Scalar)
    /// Turns the direction of text round, breaks lines or hides: shown by its number.
    case deceptive
    /// Without a width.
    case unknown
    /// Chooses a variant or joins pictures; left out.
    case invisible

    init(_ scalar: Unicode.Scalar) {
        let value = scalar.value
        switch value {
        case 0x20..<0x7f: self = .plain(1)
        case 0..<0x20, 0x7f..<0xa0: self = .control
        case 0xa0, 0xa1..<0xad, 0xae..<0x300: self = .plain(1)
        case 0xad, 0x061c, 0x180e, 0x200b, 0x200e, 0x200f, 0x2028...0x202e, 0x2060...0x206f,
            0xfeff, 0xfff9...0xfffb, 0xe0000...0xe007f:
            self = .deceptive
        case 0x200c, 0x200d, 0xfe00...0xfe0f, 0xe0100...0xe01ef: self = .invisible
        case 0x1f1e6...0x1f1ff:
            self = .regionalIndicator(Unicode.Scalar(UInt8(value - 0x1f1e6 + 0x41)))
        default:
            switch CharacterWidth.of(scalar) {
            case .none: self = .unknown
            case .some(0): self = .mark
            case .some(let width): self = .plain(width)
            }
        }
    }

    static func isPicture(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value >= 0x203c && scalar.properties.isEmoji
    }

    static func isSkinTone(_ scalar: Unicode.Scalar) -> Bool {
        (0x1f3fb...0x1f3ff).contains(scalar.value)
    }
}
