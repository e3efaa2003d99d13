/// Durations as people write and read them: `250ms`, `30s`, `15m`, `2h`, `3d`.
package enum DurationText {
    private static let units: [(suffix: String, milliseconds: Int64)] = [
        ("ms", 1), ("s", 1000), ("m", 60_000), ("h", 3_600_000), ("d", 86_400_000),
    ]

    /// The milliseconds that a text such as `1.5h` means; nil when it is not one, is negative, or
    /// goes past 100 years.
    package static func milliseconds(_ text: String) -> Int64? {
        let unit =
            units.first { $0.suffix == "ms" && text.hasSuffix("ms") }
            ?? units.first { $0.suffix != "ms" && text.hasSuffix($0.suffix) }
        guard let unit else { return text == "0" ? 0 : nil }
        let digits = text.dropLast(unit.suffix.count)
        guard let first = digits.first, first.isASCII, first.isNumber,
            digits.allSatisfy({ $0.isASCII && ($0.isNumber || $0 == ".") }),
            let value = Double(digits)
        else { return nil }
        let product = (value * Double(unit.milliseconds)).rounded()
        return product <= longest ? Int64(product) : nil
    }

    private static let longest = 3.2e12

    /// The maximum number of a unit; `nil` for an unknown unit.
    static func limit(ofUnit suffix: String) -> Double? {
        units.first { $0.suffix == suffix }.map { longest / Double($0.milliseconds) }
    }

    /// The shortest exact spelling, such as `90s`, `1.5s` or `250ms`.
    package static func compact(_ milliseconds: Int64) -> String {
        guard milliseconds != 0 else { return "0s" }
        let (seconds, rest) = milliseconds.quotientAndRemainder(dividingBy: 1000)
        if seconds > 0, rest > 0 {
            let digits = "\(1000 + rest)".dropFirst()
            let end = digits.lastIndex { $0 != "0" } ?? digits.startIndex
            return "\(seconds).\(digits[...end])s"
        }
        for unit in units.reversed() where milliseconds % unit.milliseconds == 0 {
            if unit.suffix == "m" || unit.suffix == "h" || unit.suffix == "d",
                milliseconds / unit.milliseconds == 0
            {
                continue
            }
            return "\(milliseconds / unit.milliseconds)\(unit.suffix)"
        }
        return "\(milliseconds)ms"
    }

    /// The length of a wait that two readings of a clock gave: from one second on in whole seconds.
    package static func rounded(_ milliseconds: Int64) -> String {
        compact(milliseconds < 1000 ? milliseconds : (milliseconds + 500) / 1000 * 1000)
    }

    /// A short spelling for ages and countdowns: `402 ms`, `12s`, `1m 40s`, `3h 5m`, `2d 4h`.
    package static func short(_ milliseconds: Int64) -> String {
        let positive = max(0, milliseconds)
        if positive < 1000 { return "\(positive) ms" }
        return seconds((positive + 500) / 1000)
    }

    /// How long something took: as `short`, with tenths up to ten seconds, such as `2.9s`.
    package static func taken(_ milliseconds: Int64) -> String {
        let tenths = milliseconds / 50 % 2 + milliseconds / 100
        guard milliseconds >= 1000, tenths < 100, tenths % 10 > 0 else {
            return short(milliseconds)
        }
        return "\(tenths / 10).\(tenths % 10)s"
    }

    /// An estimate from counts by ranges of durations: two digits with a mark, such as `~960 ms`.
    package static func about(_ milliseconds: Int64) -> String {
        var unit: Int64 = 1
        while milliseconds / unit >= 100 { unit *= 10 }
        return "~" + taken((milliseconds + unit / 2) / unit * unit)
    }

    /// The time left, rounded up to whole seconds, so that it never ends early.
    package static func left(_ milliseconds: Int64) -> String {
        milliseconds <= 0 ? "now" : seconds(wholeSeconds(left: milliseconds))
    }

    /// The whole seconds until a moment, rounded up.
    package static func wholeSeconds(left milliseconds: Int64) -> Int64 {
        milliseconds > .max - 999 ? milliseconds / 1000 : (milliseconds + 999) / 1000
    }

    /// The same as `short` from whole seconds.
    package static func seconds(_ seconds: Int64) -> String {
        let positive = max(0, seconds)
        func pair(_ first: Int64, _ unit: String, _ second: Int64, _ small: String) -> String {
            second == 0 ? "\(first)\(unit)" : "\(first)\(unit) \(second)\(small)"
        }
        switch positive {
        case ..<60: return "\(positive)s"
        case ..<3600: return pair(positive / 60, "m", positive % 60, "s")
        case ..<86400: return pair(positive / 3600, "h", positive % 3600 / 60, "m")
        default: return pair(positive / 86400, "d", positive % 86400 / 3600, "h")
        }
    }
}

/// Sizes as people write them: `512`, `64KiB`, `2MiB`, `1GiB`.
package enum SizeText {
    private static let units: [(suffix: String, bytes: Int)] = [
        ("KiB", 1 << 10), ("MiB", 1 << 20), ("GiB", 1 << 30), ("B", 1),
    ]

    /// The bytes that a text means; nil when it is not a size of at least 1 byte and at most 1 TiB.
    package static func bytes(_ text: String) -> Int? {
        let unit = units.first { text.hasSuffix($0.suffix) } ?? ("", 1)
        let digits = text.dropLast(unit.suffix.count)
        guard !digits.isEmpty, digits.allSatisfy({ $0.isASCII && $0.isNumber }),
            let value = Int(digits), value >= 1
        else { return nil }
        let (product, overflow) = value.multipliedReportingOverflow(by: unit.bytes)
        return overflow || product > largest ? nil : product
    }

    private static let largest = 1 << 40

    /// The maximum number of a unit; `nil` for an unknown unit.
    static func limit(ofUnit suffix: String) -> Double? {
        units.first { $0.suffix == suffix }.map { Double(largest / $0.bytes) }
    }

    /// A short spelling for people, rounded down: `512 B`, `1.5 KiB`, `412 MiB`, `1.0 GiB`.
    package static func short(_ bytes: Int64) -> String {
        guard let unit = units.prefix(3).reversed().first(where: { bytes >= $0.bytes }) else {
            return "\(max(0, bytes)) B"
        }
        let (whole, rest) = bytes.quotientAndRemainder(dividingBy: Int64(unit.bytes))
        let tenth = rest * 10 / Int64(unit.bytes)
        return whole < 10 ? "\(whole).\(tenth) \(unit.suffix)" : "\(whole) \(unit.suffix)"
    }

    /// The shortest exact spelling.
    package static func compact(_ bytes: Int) -> String {
        let unit = units.prefix(3).reversed().first { bytes >= $0.bytes && bytes % $0.bytes == 0 }
        return unit.map { "\(bytes / $0.bytes)\($0.suffix)" } ?? "\(bytes)"
    }
}
