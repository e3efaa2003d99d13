/// Removes passwords from texts that repeat an argument, because a user may type an address
/// anywhere.
///
/// Every `QueueError` passes its sentences through `hidden(in:)` on creation.
package enum Secrets {
    /// The text without passwords of addresses (`scheme://user:password@…` becomes
    /// `scheme://user@…`) and of settings (`password=…`, also quoted).
    package static func hidden(in text: String) -> String {
        let bytes = text.utf8
        // Almost no text contains either.
        guard bytes.contains(UInt8(ascii: "@")) || bytes.contains(UInt8(ascii: "=")) else {
            return text
        }
        return hidden(settingsHidden(in: Array(text.unicodeScalars)))
    }

    /// Whether a text holds a password.
    package static func isIn(_ text: String) -> Bool { hidden(in: text) != text }

    private static let keys = ["password", "passwd", "pwd"].map { Array($0.unicodeScalars) }
    private static let shellQuote = Array("'\\''".unicodeScalars)
    private static let separator = Array("://".unicodeScalars)
    /// The place of a password in a shown command.
    private static let placeholder = Array(":PASSWORD".unicodeScalars)
    private static let form = Array("[user[".unicodeScalars)
    private static let mark: Unicode.Scalar = "…"

    /// The text with the value of each setting that is a password replaced by a mark.
    private static func settingsHidden(in text: [Unicode.Scalar]) -> [Unicode.Scalar] {
        var shown: [Unicode.Scalar] = []
        var place = 0
        while place < text.count {
            shown.append(text[place])
            place += 1
            guard text[place - 1] == "=", endsInKey(shown.dropLast()) else { continue }
            while place < text.count, isBlank(text[place]) {
                shown.append(text[place])
                place += 1
            }
            let end = endOfValue(text, from: place)
            if end > place { shown.append(mark) }
            place = end
        }
        return shown
    }

    private static func endsInKey(_ shown: ArraySlice<Unicode.Scalar>) -> Bool {
        let word = shown.reversed().drop(while: isBlank).prefix(8).reversed().map(lowercased)
        return keys.contains { word.suffix($0.count).elementsEqual($0) }
    }

    /// The end of a value; an opening quote extends it to the closing one.
    private static func endOfValue(_ text: [Unicode.Scalar], from start: Int) -> Int {
        guard start < text.count else { return start }
        let rest = text[start...]
        if rest.starts(with: shellQuote) {
            // The quote of a value within the quotes of a shell.
            let last = (start + 1..<text.count).last { text[$0...].starts(with: shellQuote) }
            return last.map { $0 + shellQuote.count } ?? text.count
        }
        if text[start] == "'" {
            var place = start + 1
            while place < text.count, text[place] != "'" {
                place += text[place] == "\\" ? 2 : 1
            }
            return min(place + 1, text.count)
        }
        return rest.firstIndex { isBlank($0) || $0 == "&" || $0 == "\"" || $0 == "'" } ?? text.count
    }

    /// The text with the password of each address taken out.
    private static func hidden(_ text: [Unicode.Scalar]) -> String {
        var shown = String.UnicodeScalarView()
        var place = 0
        while place < text.count {
            guard text[place...].starts(with: separator) else {
                shown.append(text[place])
                place += 1
                continue
            }
            shown.append(contentsOf: separator)
            place += separator.count
            // A form such as `amqp://[user[:password]@]host` names no password.
            guard !text[place...].starts(with: form), let end = endOfUser(text, from: place)
            else { continue }
            let account = text[place..<end]
            let isForm = account.drop { $0 != ":" }.elementsEqual(placeholder)
            shown.append(contentsOf: isForm ? account : account.prefix { $0 != ":" })
            place = end
        }
        return String(shown)
    }

    /// The `@` that ends the user and password of an address: the last one in its word, or within
    /// its quotes if a password contains a blank. `nil` if missing.
    private static func endOfUser(_ text: [Unicode.Scalar], from start: Int) -> Int? {
        let rest = text[start...]
        let word = rest.prefix { !isBlank($0) && $0 != "\"" }
        if let place = word.lastIndex(of: "@") { return place }
        guard word.contains(":") else { return nil }
        let place = rest.prefix { $0 != "\"" && $0 != "\n" && $0 != ";" }.lastIndex(of: "@")
        // After a whole address, an `@` that begins a word belongs to the sentence.
        if let place, isBlank(text[place - 1]), endsWithPort(word) { return nil }
        return place
    }

    /// Whether a word is a host with a port, and perhaps a path.
    private static func endsWithPort(_ word: ArraySlice<Unicode.Scalar>) -> Bool {
        let rest = word.drop { $0 != ":" }.dropFirst()
        let port = rest.prefix { ("0"..."9").contains($0) }
        return (1...5).contains(port.count)
            && [nil, "/", ":", ","].contains(rest.dropFirst(port.count).first)
    }

    private static func isBlank(_ scalar: Unicode.Scalar) -> Bool {
        scalar == " " || scalar == "\t" || scalar == "\n" || scalar == "\r"
    }

    private static func lowercased(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
        ("A"..."Z").contains(scalar)
            ? Unicode.Scalar(UInt8(scalar.value) + 32) : scalar
    }
}
