/// A filter in the help and the palette, with its purpose.
struct FilterShortcut: Hashable, Sendable {
    /// The filter.
    let text: String
    /// Its effect.
    let help: String

    /// All of them.
    static let all = [
        FilterShortcut(
            text: "twin:",
            help: "finds duplicates, such as a mail that goes out twice: tasks with the same "
                + "type and payload within a minute")
    ]
}
