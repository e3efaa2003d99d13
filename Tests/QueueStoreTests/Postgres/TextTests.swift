import SluiceModel
import Testing

@testable import SluiceSQL
@testable import SluiceSystem

@Suite("What PostgreSQL is told")
struct TextTests {
    @Test(
        "P7 any text comes back as it was, and is stored without the character zero",
        arguments: ["", "plain", "a\0b", "\0\0", "\u{E000}", "\u{E000}0", "é\u{E000}\0\u{1F600}"])
    func texts(_ text: String) {
        let stored = ServerText.stored(text)
        #expect(!stored.utf8.contains(0))
        #expect(ServerText.read(stored).utf8.elementsEqual(text.utf8))
        #expect(ServerText.sortKey(ServerText.stored(.text(text))) == .text(text))
    }

    @Test("P7 a word of a command line loses the password of an address in it, and nothing else")
    func commandLine() {
        let pairs = [
            ("--store=postgres://kim:pw@h/d", "--store=postgres://kim@h/d"),
            ("postgresql:///d?password=pw", "postgresql:///d"), ("p/q", "p/q"), ("pause", "pause"),
        ]
        for (word, shown) in pairs { #expect(PostgresArguments.withoutSecrets(word) == shown) }
    }

    @Test("P7 sort keys are numbers and texts, and a number is no text")
    func sortKeys() {
        for key in [SortKey.integer(.min), .integer(7), .text("7"), .text("i7")] {
            #expect(ServerText.sortKey(ServerText.stored(key)) == key)
        }
        #expect(ServerText.sortKey("x") == nil)
    }

    @Test("P7 values have numbers, tables their schema, and no word is for another database")
    func words() {
        let query = Query(
            "SELECT a FROM sluice_task t INDEXED BY sluice_task_order CROSS JOIN sluice_role r ON"
                + " t.x = ? WHERE b = ?")
        #expect(
            ServerQuery.text(of: query)
                == "SELECT a FROM sluice.task t JOIN sluice.role r ON t.x = $1 WHERE b = $2")
        #expect(ServerQuery.text(of: Query("SELECT ?1, ?12 , ?1")) == "SELECT $1, $12 , $1")
    }
}
