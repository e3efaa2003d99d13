package import SluiceModel

/// The command line of a verb on tasks: options, the argument after the tasks, and the objects that
/// options refer to.
package struct VerbWords: Hashable, Sendable {
    /// An object that an option refers to.
    private enum Found: Hashable, Sendable {
        case task(TaskID)
        case bytes([UInt8])
    }
    package let kind: any TaskVerb.Type
    package let options: Arguments
    package private(set) var tasks: [String]
    /// The argument after the tasks; empty for a verb without one.
    package private(set) var argument = ""
    /// The time that resolves relative times.
    package private(set) var now = Timestamp(milliseconds: 0)
    private var found: [String: Found] = [:]

    /// Sorts the words of a command line; throws where the argument is missing.
    package init(_ kind: any TaskVerb.Type, _ arguments: Arguments) throws(QueueError) {
        self.kind = kind
        options = arguments
        tasks = arguments.values
        guard let what = kind.argument else { return }
        guard let word = tasks.popLast() else {
            throw .usage("\(what) is missing", of: arguments.command)
        }
        argument = word
    }

    /// Parses the verb at a time of the store; throws if the words are invalid. Before the lookup
    /// of objects, the value only proves that the words are valid.
    package func verb(at now: Timestamp) throws(QueueError) -> any TaskVerb {
        var words = self
        words.now = now
        return try kind.init(words)
    }

    /// The same words, with each task and each file that an option names looked up.
    package func finding(
        task: (TaskReference) throws -> TaskID,
        bytes: (_ file: String, _ option: String) throws -> [UInt8]
    ) throws -> VerbWords {
        var words = self
        for option in options.command.options {
            guard let text = options.text(option.name) else { continue }
            switch option.value {
            case .task:
                words.found[option.name] = .task(
                    try task(try options.task(text, of: option.name)))
            case .file: words.found[option.name] = .bytes(try bytes(text, option.name))
            case .flag, .text, .bytes, .choice, .choiceOrFile, .duration, .time, .number, .size,
                .queue, .retryRule:
                continue
            }
        }
        return words
    }

    /// The task that an option names; nil if it is not given.
    package func task(_ option: String) throws(QueueError) -> TaskID? {
        guard let reference = try options.task(option) else { return nil }
        guard case .task(let id)? = found[option] else { return reference.number ?? 0 }
        return id
    }

    /// The contents of the file that an option names; `nil` without the option.
    package func contents(_ option: String) -> [UInt8]? {
        guard options.has(option) else { return nil }
        guard case .bytes(let bytes)? = found[option] else { return [] }
        return bytes
    }

    package static func == (one: VerbWords, other: VerbWords) -> Bool {
        one.options == other.options && one.found == other.found
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(options)
        hasher.combine(found)
    }
}
