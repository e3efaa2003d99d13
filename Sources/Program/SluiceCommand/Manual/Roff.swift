/// A page of a manual in the language of `man`, in ASCII alone.
struct Roff {
    private(set) var lines: [String]

    /// A page with its heading; `line` is what `apropos` finds.
    init(_ name: String, section: Int, _ line: String, version: String) {
        let title = Self.quoted(name.uppercased())
        lines = [
            ".TH \(title) \(section) \"\" \(Self.quoted("Sluice \(version)")) \"Sluice\"",
            // No justification and no hyphenation, because users copy many of the words.
            ".ad l", ".nh", ".SH NAME", "\(Self.escaped(name)) \\- \(Self.escaped(line))",
        ]
    }

    mutating func part(_ title: String) { lines.append(".SH \(Self.quoted(title))") }

    /// The heading of a part of a part.
    mutating func subpart(_ title: String) { lines.append(".SS \(Self.quoted(title))") }

    mutating func term(_ word: String, _ meaning: String) {
        lines += [".TP", ".B \(Self.quoted(word))", Self.escaped(meaning)]
    }

    /// Adds lines of help. Indented lines and JSON shapes stay as they are; others are filled as
    /// text.
    mutating func text(_ help: [String]) {
        var isExample = false
        var isShape = false
        func end(_ lines: inout [String]) {
            if isExample { lines.append(".EE") }
            isExample = false
        }
        for line in help {
            let isIndented = line.hasPrefix(" ")
            isShape = line.hasPrefix("JSON") || isShape && isIndented
            if line.isEmpty {
                end(&lines)
                lines.append(".PP")
            } else if isIndented || isShape {
                if !isExample { lines.append(".EX") }
                isExample = true
                lines.append(Self.escaped(line))
            } else {
                end(&lines)
                lines.append(Self.escaped(line))
            }
        }
        end(&lines)
    }

    /// Adds a bold line.
    mutating func command(_ line: String) { lines += [".B \(Self.quoted(line))", ".br"] }

    private static func quoted(_ text: String) -> String {
        "\""
            + escaped(text).split(separator: "\"", omittingEmptySubsequences: false)
            .joined(separator: "\\(dq") + "\""
    }

    /// Escapes a text so that roff treats it literally.
    static func escaped(_ text: String) -> String {
        let isRequest = text.hasPrefix(".") || text.hasPrefix("'")
        return text.unicodeScalars.reduce(into: isRequest ? "\\&" : "") { escaped, scalar in
            switch scalar {
            case "\\": escaped += "\\e"
            case "-": escaped += "\\-"
            case "'": escaped += "\\(aq"
            case "`": escaped += "\\(ga"
            case "^": escaped += "\\(ha"
            case "~": escaped += "\\(ti"
            case _ where scalar.isASCII: escaped.unicodeScalars.append(scalar)
            default:
                let digits = String(scalar.value, radix: 16, uppercase: true)
                escaped +=
                    "\\[u\(String(repeating: "0", count: max(0, 4 - digits.count)))\(digits)]"
            }
        }
    }
}
