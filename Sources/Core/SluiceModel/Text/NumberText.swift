/// Numbers for people.
package enum NumberText {
    /// `1,204`.
    package static func grouped(_ number: Int) -> String {
        let digits = Array(String(number.magnitude))
        var text = number < 0 ? "-" : ""
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index) % 3 == 0 { text += "," }
            text.append(digit)
        }
        return text
    }

    /// `too large`, or `too small` after a minus, for a rejected number, duration or size beyond
    /// its range. Recognizes them among words and marks too, as in `fixed(10s)`. `nil` for any
    /// other text.
    package static func excess(of text: String) -> String? {
        let parts = text.split { !$0.isASCII || !$0.isLetter && !$0.isNumber && $0 != "." }
        // The limit of a number among others is unknown here.
        let limit = parts.count > 1 ? Double(Int64.max) : Double(Int32.max)
        guard let part = parts.first(where: { isTooLarge($0, above: limit) }) else { return nil }
        var before = text[..<part.startIndex]
        let isNegative = before.popLast() == "-" && before.last?.isNumber != true
        return isNegative ? "too small" : "too large"
    }

    /// The fault of a rejected text: too large, too small, or else `words`.
    package static func fault(of text: String, else words: String) -> String {
        excess(of: text) ?? words
    }

    private static func isTooLarge(_ text: Substring, above largest: Double) -> Bool {
        let digits = text.prefix { $0.isNumber || $0 == "." }
        guard let first = digits.first, first.isNumber, let number = Double(digits)
        else { return false }
        let unit = String(text.dropFirst(digits.count))
        if unit.isEmpty { return number > largest }
        let limit = DurationText.limit(ofUnit: unit) ?? SizeText.limit(ofUnit: unit)
        return limit.map { number > $0 } ?? false
    }

    /// `1 task`, `1,204 tasks`.
    package static func tasks(_ count: Int) -> String {
        count == 1 ? "1 task" : "\(grouped(count)) tasks"
    }
}
