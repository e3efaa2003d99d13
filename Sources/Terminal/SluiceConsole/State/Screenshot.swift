import SluiceModel
import SluiceTerminalUI

/// An image of the screen, in a file that a person can share.
extension ConsoleState {
    /// The line `screenshot [FILE]`. The image shows the screen without the line.
    mutating func drawScreen(_ words: [String]) throws(QueueError) {
        guard words.count <= 2 else {
            throw QueueError(
                .badValue, "screenshot takes one file", fix: "write screenshot FILE.svg")
        }
        message = nil
        drawScreen(into: words.count == 2 ? words[1] : nil)
    }

    mutating func drawScreen(into path: String?) {
        if case .timeline? = page { return send(.screenshot(path, of: "timeline")) }
        send(.screenshot(path, of: view.name))
    }

    mutating func applyDrawn(_ result: Result<String, QueueError>) {
        switch result {
        case .success(let path):
            message = MessageLine(
                text: "the screen is in \(path), an SVG image: a browser opens it",
                role: .running)
        case .failure(let error): message = .refusal(error.description)
        }
    }
}
