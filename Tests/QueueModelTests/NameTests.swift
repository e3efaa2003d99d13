import SluiceModel
import Testing

@Suite("Names, references and filters")
struct NameTests {
    @Test(
        "T6 names have 1 to 200 characters and no control character",
        arguments: [
            ("a", true), ("-rf", true), ("/etc", true), (" ", true), ("naïve 😀", true), ("", false),
            ("a\nb", false), ("\u{1B}[31m", false), ("\u{7F}", false), ("\u{9B}", false),
            ("\0", false), ("a\u{2028}", false), (String(repeating: "é", count: 200), true),
            (String(repeating: "é", count: 201), false),
            ("a" + String(repeating: "\u{301}", count: 200), false),
        ])
    func names(_ name: String, _ isValid: Bool) {
        #expect(Names.isValid(name) == isValid)
        do {
            try Names.check(name, of: "queue")
            #expect(isValid)
        } catch {
            #expect(!isValid && error.code == .badName && error.message.contains("queue"))
            #expect(
                error.message.unicodeScalars.allSatisfy {
                    $0.properties.generalCategory != .control
                })
        }
    }

    @Test("T6 an accent of one code point or of two is one name, and ASCII stays as it is")
    func composed() {
        let spellings = ["caf\u{e9}", "cafe\u{301}"].map(Names.composed)
        #expect(spellings.allSatisfy { Array($0.utf8) == Array("caf\u{e9}".utf8) })
        // Two marks in either order; a letter that has no composed form; Hangul.
        let marks = ["a\u{323}\u{302}", "a\u{302}\u{323}"].map { Array(Names.composed($0).utf8) }
        #expect(marks[0] == marks[1] && marks[0] == Array("\u{1ead}".utf8))
        #expect(Array(Names.composed("q\u{301}").utf8) == Array("q\u{301}".utf8))
        #expect(Names.composed("\u{1112}\u{1161}\u{11ab}").unicodeScalars.count == 1)
        #expect(Names.composed("-/ plain").utf8.elementsEqual("-/ plain".utf8))
    }

    @Test(
        "A task is named by its number, or by the beginning of its UUID",
        arguments: [
            ("#1042", .number(1042)), ("7", .number(7)), ("#0A", nil), ("", nil), ("#", nil),
            ("0", nil),
            ("-5", nil), ("99999999999999999999", nil), ("1042", .either(1042, uuid: "1042")),
            ("beef", .uuid("BEEF")), ("bee", nil), ("beeg", nil), ("123", .number(123)),
            ("0a1B2c3D-4e5f-6789-aBcD-ef0123456789", .uuid("0A1B2C3D-4E5F-6789-ABCD-EF0123456789")),
            ("0a1b2c3d-", .uuid("0A1B2C3D-")), ("0a1b-", nil), ("0a1b2c3d4", nil), ("１２３", nil),
            ("0A1B2C3D-4E5F-6789-ABCD-EF01234567890", nil), (" 12", nil),
        ] as [(String, TaskReference?)])
    func references(_ text: String, _ expected: TaskReference?) {
        #expect((try? TaskReference(text)) == expected)
        if let expected { #expect((try? TaskReference(expected.description)) == expected) }
    }

    @Test("P6 a beginning of a UUID matches it in any case")
    func prefixes() throws {
        let uuid = "1042c3D4-4E5F-6789-ABCD-EF0123456789"
        #expect(try TaskReference("1042").matches(uuid: uuid))
        #expect(try TaskReference("1042C3d4-4e").matches(uuid: uuid))
        #expect(try !TaskReference("#1042").matches(uuid: uuid))
        #expect(try !TaskReference("042c").matches(uuid: uuid))
        #expect(try TaskReference("1042").number == 1042 && TaskReference("beef").number == nil)
    }
}
