import SluiceModel
import Testing

@Suite("JSON")
struct JSONTests {
    @Test(
        "What is written is read back as it was",
        arguments: [
            "null", "true", "false", "0", "-1", "9223372036854775807", "-9223372036854775808",
            "9223372036854775808", "-0", "1.50", "1e400", "-0.0", "6.02E+23",
            "123456789012345678901234567890", "\"\"", "\"é😀\"", "\"\\\"\\\\/\\b\\f\\n\\r\\t\"",
            "\"\\u0000\\u001f\\u007f\\u009b\"", "[]", "{}", "[[],{},[1,\"2\"]]",
            "{\"b\":1,\"a\":{\"\":null},\"é\":[true]}", "{\"e\u{301}\":1,\"\u{E9}\":2}",
        ])
    func exact(_ text: String) throws {
        let value = try JSONValue.parse(text)
        #expect(value.text == text)
        #expect(try JSONValue.parse(value.bytes(indent: 2)) == value)
    }

    @Test(
        "Other spellings are read too",
        arguments: [
            (" \t\r\n[ 1 , 2 ]\n", "[1,2]"), ("\"\\/\\u00e9\\uD83D\\uDE00\"", "\"/é😀\""),
            ("{ \"a\" : 1 , \"b\" : 2 , \"a\" : 3 }", "{\"a\":3,\"b\":2}"),
            ("\"\\u0041\\u007f\\u2028\"", "\"A\\u007f\\u2028\""),
        ])
    func other(_ text: String, _ expected: String) throws {
        #expect(try JSONValue.parse(text).text == expected)
    }

    static let bad: [(String, Int, String)] = [
        ("", 0, "a value"), ("  ", 2, "the end"), ("nul", 0, "null"), ("nulls", 4, "the end"),
        ("True", 0, "\"T\""), ("[1,]", 3, "a value"), ("[1 2]", 3, "\",\" or \"]\""),
        ("[1", 2, "the end"), ("{\"a\":1,}", 7, "a key"), ("{a:1}", 1, "a key"),
        ("{\"a\" 1}", 5, "\":\""), ("{\"a\":1 \"b\":2}", 7, "\",\" or \"}\""), ("]", 0, "a value"),
        ("01", 1, "a leading 0"), ("-", 1, "a digit"), ("+1", 0, "a value"), (".5", 0, "a value"),
        ("1.", 2, "a digit"), ("1.e5", 2, "a digit"), ("1e", 2, "a digit"), ("1e+", 3, "a digit"),
        ("0x10", 1, "the end"), ("NaN", 0, "a value"), ("Infinity", 0, "a value"),
        ("\"abc", 0, "closing quote"), ("\"a\nb\"", 2, "byte 10"), ("\"\\x\"", 1, "escape"),
        ("\"\\u12g4\"", 5, "hexadecimal"), ("\"\\ud800\"", 1, "surrogates"),
        ("\"\\ud800\\u0041\"", 1, "surrogates"), ("\"\\udc00\"", 1, "surrogates"),
        ("\"\\", 2, "an escape"), ("'a'", 0, "a value"), ("1 // no", 2, "the end"),
        ("\u{FEFF}1", 0, "a value"), ("[1]\0", 3, "the end"), ("{\"a\":1}}", 7, "the end"),
    ]

    @Test("What is not JSON is refused with its place and what was expected", arguments: bad)
    func refused(_ text: String, _ offset: Int, _ words: String) throws {
        let error = #expect(throws: JSONError.self) { try JSONValue.parse(text) }
        #expect(error?.offset == offset && error?.message.contains(words) == true, "\(text)")
    }

    @Test(
        "Bytes that are not UTF-8 are refused",
        arguments: [[0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xE2, 0x82], [0x80]] as [[UInt8]])
    func notText(_ bytes: [UInt8]) {
        #expect(throws: JSONError.self) { try JSONValue.parse([34] + bytes + [34]) }
        #expect(throws: JSONError.self) { try JSONValue.parse([34, 92, 110] + bytes + [34]) }
        #expect(throws: JSONError.self) { try JSONValue.parse(bytes) }
    }

    @Test("The place of an error is a line and a column")
    func place() throws {
        let error = #expect(throws: JSONError.self) { try JSONValue.parse("{\n \"a\": 1,\n x\n}") }
        #expect(error?.line == 3 && error?.column == 2)
        #expect(
            error?.description == "line 3, column 2: expected a key in double quotes, found \"x\"")
    }

    @Test("Nesting is read to its limit and refused behind it", arguments: ["[", "{\"a\":"])
    func depth(_ open: String) throws {
        func nested(_ depth: Int) -> String {
            let close = open == "[" ? "]" : "}"
            return String(repeating: open, count: depth) + "1"
                + String(repeating: close, count: depth)
        }
        let deepest = nested(JSONValue.depthLimit)
        #expect(try JSONValue.parse(deepest).text == deepest)
        #expect(throws: JSONError.self) { try JSONValue.parse(nested(JSONValue.depthLimit + 1)) }
        #expect(throws: JSONError.self) {
            try JSONValue.parse(String(repeating: open, count: 200_000))
        }
    }

    @Test("P6 keys are sorted by their bytes and slashes escaped on request")
    func styles() throws {
        let value: JSONValue = ["b": "a/b", "a": [], "Z": ["y": 1, "x": true]]
        #expect(value.text == "{\"b\":\"a/b\",\"a\":[],\"Z\":{\"y\":1,\"x\":true}}")
        #expect(
            value.text(indent: nil, sortedKeys: true, escapeSlashes: true)
                == "{\"Z\":{\"x\":true,\"y\":1},\"a\":[],\"b\":\"a\\/b\"}")
        let wide =
            "{\n  \"b\": \"a/b\",\n  \"a\": [],\n  \"Z\": {\n    \"y\": 1,\n    \"x\": true\n  }\n}"
        #expect(value.text(indent: 2) == wide)
    }

    @Test("An object keeps the order of its keys, small or large", arguments: [3, 64, 65, 200])
    func object(_ count: Int) throws {
        var object = JSONObject()
        let keys = (0..<count).map { "key \($0 * 7919 % 1000)" }
        for (place, key) in keys.enumerated() { object[key] = .integer(Int64(place)) }
        object[keys[1]] = "changed"
        object["last"] = .null
        #expect(object.keys == keys + ["last"])
        #expect(object[keys[1]] == "changed" && object["none"] == nil)
        object[keys[0]] = nil
        object["none"] = nil
        #expect(object.keys == keys.dropFirst() + ["last"])
        #expect(keys.dropFirst(2).allSatisfy { object[$0] != nil })
        #expect(try JSONValue.parse(JSONValue.object(object).text) == .object(object))
    }

    @Test("Values answer for what they are")
    func access() throws {
        let value = try JSONValue.parse("{\"s\":\"x\",\"n\":5,\"d\":1.5,\"b\":true,\"l\":[1,null]}")
        #expect(value["s"]?.string == "x" && value["n"]?.integer == 5 && value["b"]?.bool == true)
        #expect(value["d"]?.double == 1.5 && value["n"]?.double == 5 && value["d"]?.integer == nil)
        #expect(value["l"]?[1]?.isNull == true && value["l"]?[2] == nil && value["none"] == nil)
        #expect(JSONValue(Double.infinity) == .null && JSONValue(0.1) == .number("0.1"))
        #expect(JSONValue(nil as String?) == .null && JSONValue(["a"]) == ["a"])
        #expect(JSONValue(Timestamp(milliseconds: 1)) == "1970-01-01T00:00:00.001Z")
    }

    @Test(
        "Broken bytes never crash, and what is read is written to the same value",
        arguments: 1...8)
    func hostile(_ seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let text = "{\"a\":[1,-2.5e3,\"é\\ud83d\\ude00\\n\",null],\"b\":{\"c\":true,\"d\":[[],{}]}}"
        var readable = 0
        for _ in 0..<500 {
            var bytes = Array(text.utf8)
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let place = Int.random(in: bytes.indices, using: &random)
                switch Int.random(in: 0..<3, using: &random) {
                case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
                case 1: bytes.remove(at: place)
                default: bytes.insert(bytes.randomElement(using: &random) ?? 0, at: place)
                }
            }
            guard let value = try? JSONValue.parse(bytes) else { continue }
            #expect((try? JSONValue.parse(value.bytes)) == value)
            readable += 1
        }
        #expect(readable > 0)
    }
}
