import SluiceModel
import Testing

@Suite("Regular expressions")
struct RegularExpressionTests {
    @Test(
        "F expressions match as they are known to",
        arguments: [
            ("", "", true), ("a", "bab", true), ("^a", "ba", false), ("a$", "ba", true),
            ("^a$", "a", true), ("a.c", "abc", true), ("a.c", "a\nc", false), ("^$", "", true),
            ("a|b|", "x", true), ("^(a|bc)+$", "abcbca", true), ("^(a|bc)+$", "abcb", false),
            ("^a*$", "aaa", true), ("^a+$", "", false), ("^a?$", "aa", false),
            ("^a{2,3}$", "aaa", true), ("^a{2,3}$", "aaaa", false), ("^a{2}$", "aa", true),
            ("^a{2,}$", "aaaaa", true), ("^a{2,}$", "a", false), ("a{,2}", "a{,2}", true),
            ("{\"a\"", "{\"a\"", true), ("[abc]+", "xxc", true), ("^[^abc]+$", "xyz", true),
            ("[a-f0-9]{4}", "zz12ef", true), ("[]a]", "]", true), ("[a-]", "-", true),
            ("\\d\\d", "a12", true), ("^\\D$", "1", false), ("\\w+@\\w+", "kim@example", true),
            ("^\\s$", "\t", true), ("\\bcat\\b", "a cat!", true), ("\\bcat\\b", "concat", false),
            ("\\Bcat", "concat", true), ("[\\d.]+$", "v1.2", true), ("[^\\w]", "abc", false),
            ("\\.", "a", false), ("\\(x\\)", "(x)", true), ("(?:ab)+c", "ababc", true),
            ("a*?b", "aab", true), ("é+", "caféé", true), ("^.$", "👩", true), ("(a*)*b", "b", true),
            ("(|a)+b", "aab", true), ("\\t", "a\tb", true), ("x*", "", true),
        ])
    func matches(_ pattern: String, _ text: String, _ isMatch: Bool) throws {
        #expect(try RegularExpression(pattern).matches(text) == isMatch)
    }

    @Test(
        "F without regard to case small and large letters are the same",
        arguments: [("^TIME", "timeout"), ("[A-C]{3}", "abc"), ("é", "É"), ("[x]", "X")])
    func cases(_ pattern: String, _ text: String) throws {
        #expect(try RegularExpression(pattern, ignoresCase: true).matches(text))
        #expect(try !RegularExpression(pattern).matches(text))
    }

    @Test(
        "F what is wrong is said with its place",
        arguments: [
            ("(a", 0, "not closed"), ("ab)", 2, "nothing opened"), ("[a", 0, "not closed"),
            ("a**", 0, "a repetition"), ("+", 0, "nothing to repeat"), ("a\\", 1, "at the end"),
            ("(?=a)", 0, "look around"), ("(?<!a)", 0, "look around"), ("(a)\\1", 3, "reference"),
            ("a{3,2}", 1, "goes down"), ("[z-a]", 1, "goes down"), ("\\q", 0, "means nothing"),
            ("a{99999}", 1, "count above"), ("(a{100}){101}", 0, "10000 states"),
        ])
    func refused(_ pattern: String, _ place: Int, _ message: String) {
        let error = #expect(throws: RegexError.self) { try RegularExpression(pattern) }
        #expect(error?.place == place && error?.message.contains(message) == true)
    }

    @Test("F the time grows with the text alone, where going back would take for ever")
    func linear() throws {
        let text = String(repeating: "a", count: 2000)
        #expect(try !RegularExpression("^(a|a)*(a|aa)*b$").matches(text))
        #expect(try RegularExpression("(a*)*$").matches(text))
        #expect(try RegularExpression("^(a{0,40}){0,60}$").matches(text))
    }

    @Test("F random expressions match what a matcher by definition does", arguments: 0..<40)
    func random(_ seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        for _ in 0..<50 {
            let pattern = Self.pattern(&random, depth: 0)
            let text = String(
                (0..<Int.random(in: 0...5, using: &random)).map { _ in
                    "abc".randomElement(using: &random) ?? "a"
                })
            let expression = try RegularExpression("^(\(pattern))$")
            let isMatch = Definition.ends(of: pattern, in: Array(text)).contains(text.count)
            #expect(expression.matches(text) == isMatch, "\(pattern) in \(text)")
        }
    }

    private static func pattern(_ random: inout SeededRandom, depth: Int) -> String {
        func one() -> String {
            let isGroup = depth < 3 && Int.random(in: 0..<3, using: &random) == 0
            let atom =
                isGroup
                ? "(\(pattern(&random, depth: depth + 1)))"
                : ["a", "b", "c", "."].randomElement(using: &random) ?? "a"
            return atom + (["", "", "*", "+", "?", "{2}"].randomElement(using: &random) ?? "")
        }
        let parts = (0..<Int.random(in: 1...3, using: &random)).map { _ in
            (0..<Int.random(in: 1...3, using: &random)).map { _ in one() }.joined()
        }
        return parts.joined(separator: "|")
    }
}

/// A reference implementation of the random patterns.
private enum Definition {
    /// The end positions of all matches from the beginning of a text.
    static func ends(of pattern: String, in text: [Character]) -> Set<Int> {
        var rest = Array(pattern)[...]
        return choice(&rest, text, [0])
    }

    private static func choice(
        _ rest: inout ArraySlice<Character>, _ text: [Character], _ starts: Set<Int>
    ) -> Set<Int> {
        var ends = sequence(&rest, text, starts)
        while rest.first == "|" {
            rest.removeFirst()
            ends.formUnion(sequence(&rest, text, starts))
        }
        return ends
    }

    private static func sequence(
        _ rest: inout ArraySlice<Character>, _ text: [Character], _ starts: Set<Int>
    ) -> Set<Int> {
        var places = starts
        while let first = rest.first, first != "|", first != ")" {
            let atom = rest
            _ = self.atom(&rest, text, [])
            func step(_ places: Set<Int>) -> Set<Int> {
                var copy = atom
                return self.atom(&copy, text, places)
            }
            switch rest.first {
            case "*", "+", "?":
                let mark = rest.removeFirst()
                var reached = mark == "+" ? step(places) : places
                var new = mark == "?" ? step(places) : reached
                reached.formUnion(new)
                while mark != "?", !new.isEmpty {
                    new = step(new).subtracting(reached)
                    reached.formUnion(new)
                }
                places = reached
            case "{":
                rest.removeFirst(3)
                places = step(step(places))
            default: places = step(places)
            }
        }
        return places
    }

    private static func atom(
        _ rest: inout ArraySlice<Character>, _ text: [Character], _ starts: Set<Int>
    ) -> Set<Int> {
        let first = rest.removeFirst()
        guard first != "(" else {
            let ends = choice(&rest, text, starts)
            rest.removeFirst()
            return ends
        }
        return Set(
            starts.filter { $0 < text.count && (first == "." || text[$0] == first) }
                .map { $0 + 1 })
    }
}
