import SluiceModel
import SluicePlatform

/// The reply of a command, as text and as JSON.
struct Reply: Hashable, Sendable {
    /// The answer of `--json`.
    var json: JSONValue
    /// The text of `json` in parts, where its values need too much memory. It replaces `json`.
    private(set) var parts: [String] = []
    /// The answer for people, line by line; already fit for a terminal.
    var lines: [String]
    /// Whether `--quiet` leaves the lines away: they only say that all is well.
    var isConfirmation = false
    /// Whether the lines have colours of this program, so that they are printed as they are.
    var hasColours = false
    /// The output stream. It is standard error if standard output has other content.
    var stream = Standard.Output.output
    var exit = ExitCode.done

    /// An answer in both forms.
    init(_ json: JSONValue, _ lines: [String]) {
        self.json = json
        self.lines = lines
    }

    /// An answer in JSON alone, as the text of a line.
    init(parts: [String]) {
        self.init(.null, [])
        self.parts = parts
    }

    /// The answer of `--json` as text, in the order of writing.
    var jsonText: [String] { parts.isEmpty ? [json.text + "\n"] : parts }
}
