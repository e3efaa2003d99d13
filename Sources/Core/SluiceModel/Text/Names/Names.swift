@_spi(_Unicode) import Swift

/// The rules for names of queues, types, groups, unique keys and sessions (T6).
package enum Names {
    /// The maximum length of a name in Unicode scalars, which also bounds its bytes.
    package static let longest = 200

    /// Throws `badName` unless `name` has 1 to 200 characters, no control character, line or
    /// paragraph separator among them, and no password of an address. Anything else is allowed,
    /// also a leading `-` or `/`: a name is never a path. `what` says whose name it is, such as
    /// `queue`.
    package static func check(_ name: String, of what: String) throws(QueueError) {
        // Nearly every name is plain ASCII, which needs no tables.
        let bytes = name.utf8
        let isPlain = bytes.allSatisfy {
            $0 >= 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "@") && $0 != UInt8(ascii: "=")
        }
        if (1...longest).contains(bytes.count), isPlain { return }
        guard !Secrets.isIn(name) else {
            throw QueueError(
                .badName, "the name of a \(what) holds a password: \(name)",
                fix: "an address belongs after --store")
        }
        let fix = "a name has 1 to \(longest) characters and no control character"
        guard !name.isEmpty else {
            throw QueueError(.badName, "the name of a \(what) is empty", fix: fix)
        }
        let count = name.unicodeScalars.count
        guard count <= longest else {
            throw QueueError(
                .badName, "the name of a \(what) has \(count) characters: \"\(start(name))…\"",
                fix: fix)
        }
        for (place, scalar) in name.unicodeScalars.enumerated() where isControl(scalar) {
            throw QueueError(
                .badName,
                "character \(place + 1) of the name of a \(what) is the control character "
                    + code(of: scalar), fix: fix)
        }
    }

    /// A character as `U+0007`.
    static func code(of scalar: Unicode.Scalar) -> String {
        let digits = String(scalar.value, radix: 16, uppercase: true)
        return "U+" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }

    /// Whether `name` passes `check`.
    package static func isValid(_ name: String) -> Bool {
        let scalars = name.unicodeScalars
        return (1...longest).contains(scalars.count) && !scalars.contains(where: isControl)
    }

    static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: true
        default: false
        }
    }

    /// The beginning of a name too long to display.
    private static func start(_ name: String) -> String {
        var start = String.UnicodeScalarView()
        start.append(contentsOf: name.unicodeScalars.lazy.filter { !isControl($0) }.prefix(20))
        return String(start)
    }
}

extension Names {
    /// The canonical spelling of a name (T6). An accented letter may be one code point or two,
    /// which Swift considers equal and a database that compares bytes does not. So every incoming
    /// name is composed (Unicode's form C). Almost free for ASCII.
    package static func composed(_ name: String) -> String {
        guard !name.utf8.allSatisfy({ $0 < 0x80 }) else { return name }
        var composed = String.UnicodeScalarView()
        composed.append(contentsOf: name._nfc)
        return String(composed)
    }
}
