import SluiceModel
import Testing

@testable import SluiceForeignQueues

@Suite("texts of PHP and of Ruby are read as data, within bounds")
struct RowPayloadTests {
    private func php(_ text: String) -> JSONValue? { PHPReader.value(Array(text.utf8)) }

    @Test("each kind of PHP's serialize has its value")
    func kinds() {
        #expect(php("N;") == .null && php("b:1;") == true && php("i:-5;") == -5)
        #expect(php("d:1.5;") == .number("1.5") && php("d:INF;") == "INF")
        #expect(php("s:6:\"a\"b;é\";") == "a\"b;é" && php("s:5:\"a\"b;é\";") == nil)
        #expect(php("a:2:{i:0;i:1;i:1;N;}") == [1, .null])
        #expect(php("a:1:{s:1:\"k\";i:1;}") == ["k": 1])
        #expect(
            php("O:3:\"Run\":2:{s:6:\"\0*\0job\";i:1;s:8:\"\0Run\0job\";i:2;}")
                == ["@class": "Run", "job": 1, "job'": 2])
        #expect(php("E:11:\"Suit:Hearts\";") == "<Suit:Hearts>")
        #expect(php("C:3:\"Old\":4:{ab;}}") == ["@class": "Old", "data": "<4 bytes>"])
    }

    @Test("a reference is shown and not followed, and depth, counts and lengths are bounded")
    func hostile() {
        #expect(php("a:2:{i:0;a:0:{}i:1;R:1;}") == [[], "<reference 1>"])
        let deep = String(repeating: "a:1:{i:0;", count: 100_000)
        #expect(php(deep) == nil)
        let closed =
            String(repeating: "a:1:{i:0;", count: 70) + "N;" + String(repeating: "}", count: 70)
        #expect(php(closed) == nil)
        #expect(php("a:9999999999:{}") == nil && php("s:9223372036854775807:\"a\";") == nil)
        #expect(php("s:-1:\"a\";") == nil && php("C:1:\"A\":9223372036854775807:{}") == nil)
        #expect(php("i:1;i:2;") == nil && php("") == nil && php("O:") == nil)
        let wide = "a:30000:{" + (0..<30_000).map { "i:\($0);N;" }.joined() + "}"
        #expect(php(wide) == nil)
        #expect(php("s:2:\"\u{ff}\";") == "ÿ")
    }

    @Test("YAML of Psych is read with its classes")
    func yaml() {
        let text = """
            --- !ruby/object:Delayed::PerformableMethod
            object: !ruby/object:User
              attributes:
                id: 5
                name: 'it''s'
            method_name: :deliver
            args:
            - 1
            - "a\\tb"
            - key: v
              other: ~
            - []
            text: |
              one
                two
            """
        let value = RubyYAMLReader.value(text)
        #expect(value?["@class"] == "Delayed::PerformableMethod")
        #expect(value?["object"]?["attributes"] == ["id": 5, "name": "it's"])
        #expect(value?["object"]?["@class"] == "User")
        #expect(value?["method_name"] == ":deliver")
        #expect(value?["args"] == [1, "a\tb", ["key": "v", "other": .null], []])
        #expect(value?["text"] == "one\n  two")
    }

    @Test("an alias is shown and not followed, and what is too deep is no value")
    func hostileYAML() {
        var lines = ["---", "a: &1", "- x"]
        for number in 2...40 {
            lines.append("b\(number): &\(number)")
            lines += Array(repeating: "- *\(number - 1)", count: 9)
        }
        let value = RubyYAMLReader.value(lines.joined(separator: "\n"))
        #expect(value?["b40"]?[0] == "<alias 39>")
        let deep = (0..<2000).map { String(repeating: " ", count: $0) + "a:" }
        #expect(RubyYAMLReader.value("---\n" + deep.joined(separator: "\n")) == nil)
        #expect(RubyYAMLReader.value("--- [1, 2") == nil)
        #expect(RubyYAMLReader.value("--- \"open") == nil)
        #expect(RubyYAMLReader.value("text") == nil)
    }
}
