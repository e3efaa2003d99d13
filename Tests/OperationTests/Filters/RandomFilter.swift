import SluiceModel

/// The text of a filter, drawn from what the tasks of a `FilterWorld` have and nearly have.
struct RandomFilter {
    private var random: SeededRandom

    init(_ random: SeededRandom) { self.random = random }

    mutating func next() -> String { expression(depth: 0) }

    private mutating func expression(depth: Int) -> String {
        let count = 1 + random.below(depth == 0 ? 3 : 2)
        let parts = (0..<count).map { _ in part(depth: depth) }
        return parts.joined(separator: random.pick([" ", " ", " and ", " or "]))
    }

    private mutating func part(depth: Int) -> String {
        let mark = random.once(in: 5) ? random.pick(["-", "!", "not "]) : ""
        if depth < 3, random.once(in: 5) { return "\(mark)(\(expression(depth: depth + 1)))" }
        return mark + word()
    }

    private mutating func word() -> String {
        switch random.below(10) {
        case 0: random.pick(FilterWorld.words + ["nothing", "\"a b\"", "KIM", "\"É\"", "1"])
        case 1, 2: "state:" + list(TaskFilter.State.allCases.map(\.rawValue) + ["s*", "*ed"])
        case 3, 4: named()
        case 5: "id:" + list(["1", "2..5", "3-9", "7,8", "1*", "20..9000000"])
        case 6: "text:" + random.pick(["kim", "Kim", "\"a\": 1", "{", "7", "é"].map(quoted))
        case 7: compared()
        case 8: payload()
        default: expressed()
        }
    }

    private func quoted(_ text: String) -> String {
        text.contains { $0 == " " || $0 == "\"" }
            ? "\"\(text.replacing("\"", with: "\\\""))\"" : text
    }

    private mutating func list(_ values: [String]) -> String {
        let count = 1 + random.below(3)
        return (0..<count).map { _ in random.pick(values) }.joined(separator: ",")
    }

    private mutating func named() -> String {
        switch random.below(10) {
        case 0: "type:" + list(["a", "b", "c", "a*", "*"])
        case 1: "queue:" + list(["q", "x", "\"q\"", "*q"])
        case 2: "group:" + list(["g", "h", "i", "*"])
        case 3: "session:" + list(["s", "t", "*"])
        case 4: "label:" + list(["urgent", "URG", "*t", "none"])
        case 5: "error:" + list(["timeout", "no", "*refused*", "Timeout*5"])
        case 6: "runner:" + list(["1", "2", "*"])
        case 7: "unique:" + list(["u1", "u*", "v"])
        case 8: random.pick(["twin:", "twin:*", "twin:1", "twin:2,3", "twin:4*"])
        default: "group:g type:a"
        }
    }

    private mutating func compared() -> String {
        let sign = random.pick(["=", "!=", "<", "<=", ">", ">=", "=="])
        return switch random.below(7) {
        case 0: "attempts\(sign)\(random.below(4))"
        case 1: "priority\(sign)\(random.below(4) - 2)"
        case 2: "size\(sign)\(random.pick(["0", "2", "16", "1KiB"]))"
        case 3: "age\(sign)\(random.pick(["0s", "50ms", "100ms", "1h"]))"
        case 4: "due\(sign)\(random.pick(["0s", "50ms", "1m"]))"
        case 5: "duration\(sign)\(random.pick(["5ms", "10ms", "1s"]))"
        default: "changed\(sign)\(random.pick(["0s", "20ms", "100ms"]))"
        }
    }

    private mutating func payload() -> String {
        let path = random.pick([
            "payload.user", "payload.user.id", "payload.items[0]", "payload.items[1].n",
            "payload.\"a.b\"", "payload.none", "payload[0]",
        ])
        let check = random.pick([
            "", "=7", "=\"7\"", "!=7", "<8", ">=7.5", "=kim", "~^k", "=null", "=true", "~[0-9]",
        ])
        return path + check
    }

    private mutating func expressed() -> String {
        random.pick([
            "type~^[ab]$", "state~^(due|next)$", "error~time.?out", "label~^URG", "id~^1",
            "text~\"kim|7\"", "group~g", "session~.", "error~\\d", "unique~u[0-9]",
            "runner~1", "queue~^q$",
        ])
    }
}
