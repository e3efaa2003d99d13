import SluiceSystem
import Testing

@Suite("Texts in addresses")
struct PercentTextTests {
    @Test(
        "a text is encoded and decoded",
        arguments: [("a b/ü~", "a%20b%2F%C3%BC~"), ("100%", "100%25"), ("", "")])
    func pairs(_ text: String, _ encoded: String) {
        #expect(PercentText.encoded(text) == encoded)
        #expect(PercentText.decoded(encoded) == text)
    }

    @Test("a % without two hexadecimal digits is refused", arguments: ["%", "a%2", "%+1", "%zz"])
    func wrong(_ text: String) { #expect(PercentText.decoded(text) == nil) }

    @Test("digits may be small letters")
    func small() { #expect(PercentText.decoded("%2f%C3%bc") == "/ü") }
}
