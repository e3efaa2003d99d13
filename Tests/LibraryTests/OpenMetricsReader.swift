/// Reads OpenMetrics text by its grammar, and complains of all that the format forbids.
struct OpenMetricsReader {
    struct Sample: Equatable {
        var name: String
        var labels: [String: String]
        var value: Double
    }

    struct Family {
        var type = ""
        var unit: String?
        var samples: [Sample] = []
    }

    private(set) var families: [String: Family] = [:]
    private(set) var faults: [String] = []
    private var current = ""

    init(_ text: String) {
        guard text.hasSuffix("# EOF\n") else {
            faults.append("no # EOF at the end")
            return
        }
        let lines = text.dropLast("\n".count).split(
            separator: "\n", omittingEmptySubsequences: false)
        for line in lines.dropLast() {
            line.hasPrefix("# ") ? describe(line) : sample(line)
        }
        for (name, family) in families { check(name, family) }
    }

    /// The value of a sample; `nil` if zero or several match.
    func value(_ name: String, _ labels: [String: String] = [:]) -> Double? {
        let found = families.values.flatMap(\.samples).filter {
            $0.name == name && $0.labels == labels
        }
        return found.count == 1 ? found[0].value : nil
    }

    private mutating func describe(_ line: Substring) {
        let words = line.split(separator: " ", maxSplits: 3, omittingEmptySubsequences: false)
        guard words.count == 4, isName(words[2]) else { return faults.append("odd: \(line)") }
        let (what, name, text) = (words[1], String(words[2]), String(words[3]))
        if name != current {
            if families[name] != nil { faults.append("\(name) comes twice") }
            if what != "TYPE" { faults.append("\(name) has no type first") }
            (families[name], current) = (Family(), name)
        }
        switch what {
        case "TYPE":
            let types = ["counter", "gauge", "histogram", "gaugehistogram"]
            if !types.contains(text) || families[name]?.type != "" { faults.append("\(line)") }
            families[name]?.type = text
        case "UNIT":
            if !name.hasSuffix("_" + text) { faults.append("\(name) does not end in \(text)") }
            families[name]?.unit = text
        case "HELP":
            if unescaped(text[...]) == nil { faults.append("escapes of \(line)") }
        default: faults.append("\(line)")
        }
    }

    private mutating func sample(_ line: Substring) {
        guard let found = parsed(line) else { return faults.append("no sample: \(line)") }
        let suffixes: [String: [String]] = [
            "counter": ["_total"], "gauge": [""], "histogram": ["_bucket", "_count", "_sum"],
            "gaugehistogram": ["_bucket", "_gcount", "_gsum"],
        ]
        let allowed = suffixes[families[current]?.type ?? ""] ?? []
        if !allowed.contains(where: { current + $0 == found.name }) {
            faults.append("\(found.name) is not of \(current)")
        }
        let isThere = families[current]?.samples.contains {
            ($0.name, $0.labels) == (found.name, found.labels)
        }
        if isThere == true { faults.append("twice: \(line)") }
        families[current]?.samples.append(found)
    }

    private func parsed(_ line: Substring) -> Sample? {
        guard let space = line.lastIndex(of: " "),
            let value = Double(line[line.index(after: space)...]),
            line[line.index(after: space)...].allSatisfy({ "0123456789.+-einfNa".contains($0) })
        else { return nil }
        let head = line[..<space]
        guard let brace = head.firstIndex(of: "{") else {
            return isName(head) ? Sample(name: String(head), labels: [:], value: value) : nil
        }
        guard head.hasSuffix("}"), isName(head[..<brace]) else { return nil }
        var rest = head[head.index(after: brace)...].dropLast()
        var labels: [String: String] = [:]
        while !rest.isEmpty {
            guard let equals = rest.firstIndex(of: "="), isName(rest[..<equals]),
                rest[rest.index(after: equals)...].first == "\""
            else { return nil }
            let name = String(rest[..<equals])
            rest = rest[equals...].dropFirst(2)
            var (raw, isEscaped) = ("", false)
            while let letter = rest.first, letter != "\"" || isEscaped {
                isEscaped = letter == "\\" && !isEscaped
                raw.append(letter)
                rest = rest.dropFirst()
            }
            guard rest.first == "\"", labels[name] == nil, let text = unescaped(raw[...]) else {
                return nil
            }
            labels[name] = text
            rest = rest.dropFirst()
            if rest.first == "," { rest = rest.dropFirst() } else if !rest.isEmpty { return nil }
        }
        return Sample(name: String(head[..<brace]), labels: labels, value: value)
    }

    private func isName(_ text: Substring) -> Bool {
        let letters = text.unicodeScalars.allSatisfy {
            $0.isASCII && ($0.properties.isAlphabetic || $0 == "_" || ("0"..."9").contains($0))
        }
        return letters && text.first.map { !$0.isNumber } == true
    }

    private func unescaped(_ text: Substring) -> String? {
        var (found, rest) = ("", text)
        while let letter = rest.popFirst() {
            guard letter == "\\" else {
                found.append(letter)
                continue
            }
            switch rest.popFirst() {
            case "\\": found.append("\\")
            case "\"": found.append("\"")
            case "n": found.append("\n")
            default: return nil
            }
        }
        return found
    }

    /// Checks a histogram: buckets do not decrease, the last one equals the count, and count and
    /// sum exist.
    private mutating func check(_ name: String, _ family: Family) {
        guard family.type.hasSuffix("histogram") else { return }
        let letter = family.type == "histogram" ? "" : "g"
        var buckets: [[String: String]: [(le: Double, count: Double)]] = [:]
        for sample in family.samples where sample.name.hasSuffix("_bucket") {
            var labels = sample.labels
            guard let le = labels.removeValue(forKey: "le"), let bound = Double(le),
                le == "+Inf" || le.contains(".")
            else {
                faults.append("\(name) has an odd le")
                continue
            }
            buckets[labels, default: []].append((bound, sample.value))
        }
        for (labels, all) in buckets {
            let isGrowing = zip(all, all.dropFirst()).allSatisfy {
                $0.le < $1.le && $0.count <= $1.count
            }
            let count = value("\(name)_\(letter)count", labels)
            if !isGrowing || all.last?.le != .infinity || all.last?.count != count
                || value("\(name)_\(letter)sum", labels) == nil
            {
                faults.append("\(name) \(labels) is no histogram")
            }
        }
    }
}
