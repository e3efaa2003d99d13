/// A filter in the help and the palette, with its purpose.
struct FilterShortcut: Hashable, Sendable {
    let text: String
    let help: String

    static let all = [
        FilterShortcut(
            text: "twin:",
            help: "finds duplicates, such as a mail that goes out twice: tasks with the same "
                + "type and payload within a minute")
    ]
}
