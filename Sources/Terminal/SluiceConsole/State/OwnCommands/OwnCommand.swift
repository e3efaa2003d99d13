import SluiceModel
import SluiceTerminalUI

/// A key with a command of the person's own.
struct OwnKey: Hashable, Sendable {
    var key: Key
    var command: OwnCommand
}

/// A shell command from the keys file, with places for values of the task at the cursor.
///
/// The shell never parses a value. It gets the values as variables, and the places as their names.
package struct OwnCommand: Hashable, Sendable {
    enum Value: Hashable, Sendable {
        case id, queue, type
        case payload(PayloadPath)

        var name: String {
            switch self {
            case .id: "id"
            case .queue: "queue"
            case .type: "type"
            case .payload(let path): "payload\(path)"
            }
        }
    }
    enum Part: Hashable, Sendable {
        case text(String)
        case value(Value, inQuotes: Bool)
    }

    /// The command as the file has it, without `!` or `!&`.
    let text: String
    /// Whether it runs without the terminal.
    package let isBackground: Bool
    let parts: [Part]

    /// Parses the value of a line; `nil` if it does not begin with `!`.
    init?(_ line: SettingsText.Line) throws(SettingsText.Problem) {
        guard line.value.hasPrefix("!") else { return nil }
        isBackground = line.value.hasPrefix("!&")
        text = ConsoleState.trimmed(String(line.value.dropFirst(isBackground ? 2 : 1)))
        guard !text.isEmpty else {
            throw line.problem("the command after ! is missing", fix: "write F6 = !COMMAND")
        }
        guard !OwnCommand.hasControl(text) else {
            throw line.problem("the command has a control sign", fix: "take it out")
        }
        var parser = OwnCommandParser(text)
        do throws(OwnCommandParser.Mistake) {
            parts = try parser.parse()
        } catch {
            throw line.problem(error.message, fix: error.fix)
        }
    }

    static func hasControl(_ text: String) -> Bool {
        text.unicodeScalars.contains { $0.properties.generalCategory == .control }
    }

    private var values: [Value] {
        parts.compactMap { if case .value(let value, _) = $0 { value } else { nil } }
    }

    var needsPayload: Bool { values.contains { if case .payload = $0 { true } else { false } } }
    /// Whether it has a value that only a task has.
    var needsTask: Bool { values.contains { $0 != .queue } }
    var needsQueue: Bool { values.contains(.queue) }

    /// The place of its output, in a word.
    var `where`: String { isBackground ? "background" : "terminal" }
    var place: String {
        isBackground ? "own command, in the background" : "own command, takes the terminal"
    }
}

/// Finds the places for values in a shell command.
private struct OwnCommandParser {
    struct Mistake: Error {
        var message: String
        var fix: String
    }
    private enum Quote { case none, single, double }
    private var rest: Substring
    private var parts: [OwnCommand.Part] = []
    private var text = ""
    private var quote = Quote.none

    init(_ text: String) { rest = text[...] }

    mutating func parse() throws(Mistake) -> [OwnCommand.Part] {
        while let character = rest.first {
            if rest.hasPrefix("${"), let end = rest.firstIndex(of: "}"),
                let value = try Self.value(rest[rest.index(rest.startIndex, offsetBy: 2)..<end])
            {
                try add(value)
                rest = rest[rest.index(after: end)...]
                continue
            }
            let isEscape = character == "\\" && quote != .single
            if isEscape { text.append(rest.removeFirst()) }
            if let next = rest.popFirst() { take(next, isEscaped: isEscape) }
        }
        if !text.isEmpty { parts.append(.text(text)) }
        return parts
    }

    private mutating func take(_ character: Character, isEscaped: Bool) {
        text.append(character)
        guard !isEscaped else { return }
        switch (character, quote) {
        case ("'", .none): quote = .single
        case ("'", .single), ("\"", .double): quote = .none
        case ("\"", .none): quote = .double
        default: break
        }
    }

    private mutating func add(_ value: OwnCommand.Value) throws(Mistake) {
        // The shell reads no variable there.
        guard quote != .single else {
            throw Mistake(
                message: "${\(value.name)} is in single quotes",
                fix: "take them away: the value is quoted automatically")
        }
        if !text.isEmpty { parts.append(.text(text)) }
        text = ""
        parts.append(.value(value, inQuotes: quote == .double))
    }

    /// The value of a name; `nil` for a variable of the shell's own.
    private static func value(_ name: Substring) throws(Mistake) -> OwnCommand.Value? {
        switch name {
        case "id": return .id
        case "queue": return .queue
        case "type": return .type
        default: break
        }
        guard name.hasPrefix("payload") else { return nil }
        let path = name.dropFirst("payload".count)
        let bare = path.first == "." ? path.dropFirst() : path
        guard let first = path.first, first == "." || first == "[",
            let found = PayloadPath.list(String(bare)), found.count == 1
        else {
            throw Mistake(
                message: "${\(name)} is no path of a payload", fix: "write ${payload.user.id}")
        }
        return .payload(found[0])
    }
}
