import SluiceModel
import Testing

@Suite("The line of an error")
struct ErrorLineTests {
    @Test(
        "of a Python traceback the cause, of any other text the text",
        arguments: [
            (
                "Traceback (most recent call last):\n  File \"a\", line 1\nValueError: bad\n",
                "ValueError: bad"
            ),
            (
                "Traceback (most recent call last): File \"…\", line #, in main KeyError: \"…\"",
                "KeyError: \"…\""
            ),
            (
                "Traceback (most recent call last): cut off",
                "Traceback (most recent call last): cut off"
            ),
            (
                "Error: no route\n    at connect (net.js:1)",
                "Error: no route\n    at connect (net.js:1)"
            ),
            ("", ""),
        ])
    func cause(_ example: (error: String, line: String)) {
        #expect(ErrorLine.cause(of: example.error) == example.line)
    }
}
