/// Removes passwords from texts that repeat an argument, because a user may type an address
/// anywhere, also percent-encoded within another one.
///
/// Every `QueueError` passes its sentences through `hidden(in:)` on creation.
package enum Secrets {
    /// The text without passwords of addresses (`scheme://user:password@…` becomes
    /// `scheme://user@…`) and of settings (`password=…`, also quoted).
    package static func hidden(in text: String) -> String {
        let bytes = text.utf8
        // Almost no text contains one of these.
        guard bytes.contains(where: { marks.contains($0) }) else { return text }
        var shown = String.UnicodeScalarView()
        for sign in passwordsHidden(in: settingsHidden(in: Sign.all(of: text))) {
            shown.append(contentsOf: sign.source)
        }
        return String(shown)
    }

    /// Whether a text holds a password.
    package static func isIn(_ text: String) -> Bool { hidden(in: text) != text }

    /// A scalar of a text. A mark of addresses may be percent-encoded, once or several times.
    private struct Sign {
        var scalar: Unicode.Scalar
        var source: ArraySlice<Unicode.Scalar>
        var isEncoded: Bool { source.count > 1 }

        /// The marks that have a meaning; other encoded scalars are text.
        private static let codes: [[Unicode.Scalar]: Unicode.Scalar] = [
            ["2", "f"]: "/", ["2", "6"]: "&", ["3", "a"]: ":", ["3", "d"]: "=", ["4", "0"]: "@",
        ]

        static func all(of text: String) -> [Sign] {
            let scalars = Array(text.unicodeScalars)
            var found: [Sign] = []
            var place = 0
            while place < scalars.count {
                let length = length(of: scalars[place...])
                let code = scalars[place..<place + length].suffix(2).map(lowercased)
                let mark = length > 1 ? codes[code] : nil
                let end = place + (mark == nil ? 1 : length)
                found.append(
                    Sign(scalar: mark ?? scalars[place], source: scalars[place..<end]))
                place = end
            }
            return found
        }

        /// The length of `%3A`, or of the same with its sign encoded again, as in `%253A`.
        private static func length(of text: ArraySlice<Unicode.Scalar>) -> Int {
            guard text.first == "%" else { return 1 }
            var rest = text.dropFirst()
            while rest.starts(with: ["2", "5"]) { rest = rest.dropFirst(2) }
            return rest.count < 2 ? 1 : rest.startIndex + 2 - text.startIndex
        }
    }

    private static let marks = Set("@=%".utf8)
    private static let keys = ["password", "passwd", "pwd"].map { Array($0.unicodeScalars) }
    private static let shellQuote = Array("'\\''".unicodeScalars)
    private static let separator = Array("://".unicodeScalars)
    /// The place of a password in a shown command.
    private static let placeholder = Array(":PASSWORD".unicodeScalars)
    private static let form = Array("[user[".unicodeScalars)
    private static let mark: Unicode.Scalar = "…"

    private static func begins(
        _ text: ArraySlice<Sign>, with scalars: [Unicode.Scalar]
    ) -> Bool {
        text.lazy.map(\.scalar).starts(with: scalars)
    }

    /// The text with the value of each setting that is a password replaced by a mark.
    private static func settingsHidden(in text: [Sign]) -> [Sign] {
        var shown: [Sign] = []
        var place = 0
        while place < text.count {
            let sign = text[place]
            shown.append(sign)
            place += 1
            guard sign.scalar == "=", endsInKey(shown.dropLast()) else { continue }
            while place < text.count, isBlank(text[place]) {
                shown.append(text[place])
                place += 1
            }
            let end = endOfValue(text, from: place, isEncoded: sign.isEncoded)
            if end > place { shown.append(Sign(scalar: mark, source: [mark])) }
            place = end
        }
        return shown
    }

    private static func endsInKey(_ shown: ArraySlice<Sign>) -> Bool {
        let word = shown.reversed().drop(while: isBlank).prefix(8).reversed()
            .map { lowercased($0.scalar) }
        return keys.contains { word.suffix($0.count).elementsEqual($0) }
    }

    /// The end of a value; an opening quote extends it to the closing one. An encoded mark ends
    /// only the value of an encoded setting.
    private static func endOfValue(_ text: [Sign], from start: Int, isEncoded: Bool) -> Int {
        guard start < text.count else { return start }
        let rest = text[start...]
        if begins(rest, with: shellQuote) {
            // The quote of a value within the quotes of a shell.
            let last = (start + 1..<text.count).last { begins(text[$0...], with: shellQuote) }
            return last.map { $0 + shellQuote.count } ?? text.count
        }
        if text[start].scalar == "'" {
            var place = start + 1
            while place < text.count, text[place].scalar != "'" {
                place += text[place].scalar == "\\" ? 2 : 1
            }
            return min(place + 1, text.count)
        }
        return rest.firstIndex {
            isBlank($0) || $0.scalar == "\"" || $0.scalar == "'"
                || $0.scalar == "&" && (isEncoded || !$0.isEncoded)
        } ?? text.count
    }

    /// The text with the password of each address taken out.
    private static func passwordsHidden(in text: [Sign]) -> [Sign] {
        var shown: [Sign] = []
        var place = 0
        while place < text.count {
            guard begins(text[place...], with: separator) else {
                shown.append(text[place])
                place += 1
                continue
            }
            let isEncoded = text[place].isEncoded
            shown += text[place..<place + separator.count]
            place += separator.count
            // A form such as `amqp://[user[:password]@]host` names no password.
            guard !begins(text[place...], with: form),
                let end = endOfUser(text, from: place, isEncoded: isEncoded)
            else { continue }
            let account = text[place..<end]
            let isForm = account.drop { $0.scalar != ":" }.map(\.scalar) == placeholder
            shown += isForm ? account : account.prefix { $0.scalar != ":" }
            place = end
        }
        return shown
    }

    /// The `@` that ends the user and password of an address: the last one in its word, or within
    /// its quotes if a password contains a blank. `nil` if missing.
    private static func endOfUser(
        _ text: [Sign], from start: Int, isEncoded: Bool
    ) -> Int? {
        let rest = text[start...]
        let word = rest.prefix { !isBlank($0) && $0.scalar != "\"" }
        let next = word.indices.first { begins(word[$0...], with: separator) }
        let own = word[..<(next ?? word.endIndex)]
        let hasOther = next.map { text[$0].isEncoded } ?? false
        if !isEncoded, !hasOther, let place = word.lastIndex(where: isMark) { return place }
        // An address within it has its own password.
        if let place = own.lastIndex(where: { $0.scalar == "@" }) {
            return isEncoded || !hasPort(own[..<place], thenMore: true) ? place : nil
        }
        guard !isEncoded, word.contains(where: { $0.scalar == ":" && !$0.isEncoded }),
            !hasOther || !hasPort(own)
        else { return nil }
        let place = rest.prefix { $0.scalar != "\"" && $0.scalar != "\n" && $0.scalar != ";" }
            .lastIndex(where: isMark)
        // After a whole address, an `@` that begins a word belongs to the sentence.
        if let place, isBlank(text[place - 1]), hasPort(word) { return nil }
        return place
    }

    private static func isMark(_ sign: Sign) -> Bool { sign.scalar == "@" && !sign.isEncoded }

    /// Whether a word is a host with a port, and perhaps more.
    private static func hasPort(_ word: ArraySlice<Sign>, thenMore: Bool = false) -> Bool {
        let rest = word.drop { $0.scalar != ":" }.dropFirst()
        let port = rest.prefix { ("0"..."9").contains($0.scalar) }
        guard (1...5).contains(port.count) else { return false }
        guard let next = rest.dropFirst(port.count).first?.scalar else { return !thenMore }
        return ["/", ":", ","].contains(next)
    }

    private static func isBlank(_ sign: Sign) -> Bool {
        [" ", "\t", "\n", "\r"].contains(sign.scalar)
    }

    private static func lowercased(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
        ("A"..."Z").contains(scalar)
            ? Unicode.Scalar(UInt8(scalar.value) + 32) : scalar
    }
}
