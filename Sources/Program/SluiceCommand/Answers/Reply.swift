import SluiceControl
import SluiceModel
import SluiceStore
import SluiceSystem

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
    /// The journal's number of the change, if it can be undone.
    var undo: Int64?
    /// The verb of the change, if it cannot be undone.
    var finalVerb: Verb?
    /// The verb that was not performed, because the console confirms it first.
    var unconfirmedVerb: Verb?
    /// The difference that the lines describe.
    var difference: StoreDifference?

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

    /// A verb that the console confirms and performs.
    init(unconfirmed verb: Verb) {
        self.init(.null, [])
        unconfirmedVerb = verb
    }

    /// This answer of a verb that was performed.
    func of(_ verb: Verb, _ answer: Answer) -> Reply {
        var reply = self
        reply.undo = answer.undo
        if verb.isFinal(answer) { reply.finalVerb = verb }
        return reply
    }

    /// The answer of `--json`, also if its text is in parts.
    var value: JSONValue {
        get throws { parts.isEmpty ? json : try JSONValue.parse(Array(parts.joined().utf8)) }
    }

    /// The answer of `--json` as text, in the order of writing.
    var jsonText: [String] { parts.isEmpty ? [json.text + "\n"] : parts }
}
