/// A person's name for a task: `#1042` or `1042`. In a Customer.io folder it is a UUID or at least
/// its first 4 characters. In another system it is that system's id.
package enum TaskReference: Hashable, Sendable {
    case number(TaskID)
    /// A UUID or its beginning, in capitals and with its dashes.
    case uuid(String)
    /// Digits alone: a number first, else the beginning of a UUID.
    case either(TaskID, uuid: String)
    /// Another system's id or its beginning, in any form.
    case foreign(String)

    /// Reads what a person typed; throws `badValue`.
    package init(_ text: String) throws(QueueError) {
        let isNumberOnly = text.hasPrefix("#")
        let number = Self.number(isNumberOnly ? text.dropFirst() : Substring(text))
        let uuid = isNumberOnly ? nil : Self.uuidPrefix(text)
        switch (number, uuid) {
        case (let number?, nil): self = .number(number)
        case (nil, let uuid?): self = .uuid(uuid)
        case (let number?, let uuid?): self = .either(number, uuid: uuid)
        case (nil, nil):
            throw QueueError(
                .badValue, "\"\(text)\" names no task",
                fix: "a task is #1042, 1042, or 4 or more characters of its UUID in a folder")
        }
    }

    /// The number that it may mean.
    package var number: TaskID? {
        switch self {
        case .number(let number), .either(let number, _): number
        case .uuid, .foreign: nil
        }
    }

    /// The beginning of a UUID that it may mean; empty where it means a number alone.
    package var prefix: String {
        switch self {
        case .number, .foreign: ""
        case .uuid(let prefix), .either(_, let prefix): prefix
        }
    }

    /// Whether it may mean a UUID.
    package var isUUID: Bool {
        switch self {
        case .number, .foreign: false
        case .uuid, .either: true
        }
    }

    /// Whether it may mean the task with this UUID, in capitals or not.
    package func matches(uuid: String) -> Bool {
        switch self {
        case .number, .foreign: false
        case .uuid(let prefix), .either(_, let prefix): uuid.uppercased().hasPrefix(prefix)
        }
    }

    private static func number(_ text: Substring) -> TaskID? {
        guard text.utf8.allSatisfy({ (48...57).contains($0) }), let number = TaskID(text),
            number > 0
        else { return nil }
        return number
    }

    /// The text as the beginning of a UUID: 4 or more hexadecimal digits with dashes at their
    /// places.
    private static func uuidPrefix(_ text: String) -> String? {
        guard (4...36).contains(text.utf8.count) else { return nil }
        for (place, character) in text.enumerated() {
            let isDash = [8, 13, 18, 23].contains(place)
            guard isDash ? character == "-" : character.isASCII && character.isHexDigit else {
                return nil
            }
        }
        return text.uppercased()
    }
}

extension TaskReference: CustomStringConvertible {
    /// The spelling that reads back as the same.
    package var description: String {
        switch self {
        case .number(let number): "#\(number)"
        case .uuid(let prefix), .either(_, let prefix): prefix
        case .foreign(let id): id
        }
    }
}
