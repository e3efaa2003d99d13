import SluiceModel
import SluiceStore

/// Texts that would steer a terminal.
enum Poison {
    /// A title, a colour, the same as C1 controls, a bell, a backspace, and text that turns back.
    static let text =
        "\u{1b}]0;pwn\u{7}\u{1b}[31mEVIL\u{9b}31mEVIL\u{9d}0;pwn\u{9c}\u{8}\u{8}\u{7}\u{202e}\u{85}"
        + "\u{1b}P+q\u{1b}\\\u{1b}c\r\n\u{0}\u{7f}end"

    /// A name that passes for one, and turns the line around.
    static let name = "evil\u{202e}\u{2066}q\u{200b}"

    /// A task with the text wherever there is room for it.
    static func request(_ number: Int) -> EnqueueRequest {
        var request = EnqueueRequest(type: "evil\u{202e}\u{2066}\u{200b}type")
        request.payload =
            number % 2 == 0
            ? JSONValue.object(["text": .string(text), "deep": .string("{\"a\":\"\(text)\"}")])
                .bytes
            : Array(text.utf8) + [0xff, 0xfe, 0x1b, 0x5b, 0x33, 0x31, 0x6d]
        request.label = text
        request.groupMembers = number % 3 == 0 ? [] : ["evil\u{202e}group"]
        request.groupStart = number % 3 == 0 ? "evil\u{202e}group" : nil
        request.clientString = ClientString(text)
        return request
    }
}
