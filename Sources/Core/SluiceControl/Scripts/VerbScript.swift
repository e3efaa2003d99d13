import SluiceModel
import SluiceStore

/// Shell commands that repeat a person's action, stored with its journal line (G7). An action
/// without a command becomes a comment.
package struct VerbScript {
    /// Limits on the tasks and payload bytes of one script, because the script duplicates them.
    static let taskLimit = 100
    private static let payloadLimit = 64 << 10

    let text: CommandText

    /// Converts waits to durations from this moment.
    init(at now: Timestamp) {
        text = CommandText(names: TaskNames(), now: now, listsAll: true)
    }

    func lines(of verb: Verb) -> String { verb.order.lines(in: self) }

    /// An undo that nothing could be taken back by: the next one takes the verb before it.
    static let passedOver = "sluice undo || :"

    /// Whether the lines of an event are comments, because no command repeats it.
    static func isComment(_ lines: String?) -> Bool {
        lines?.split(separator: "\n").allSatisfy { $0.hasPrefix("#") } ?? false
    }

    /// The comment for the undo of an event whose script has no effect; a command would undo
    /// another verb.
    static func comment(onUndoOf event: Int64) -> String {
        "# undo of event \(event), which these lines do not do again"
    }

    func step(_ task: TaskID) -> String { line(text.of(.task(TaskTarget(task)))) }

    func lines(of requests: [EnqueueRequest], to queue: String) -> String {
        let bytes = requests.reduce(0) { $0 + $1.payload.count }
        guard requests.count <= Self.taskLimit, bytes <= Self.payloadLimit else {
            let size = NumberText.grouped(bytes)
            let isCut = requests.count > Self.taskLimit
            return isCut
                ? "# enqueue of more than \(Self.taskLimit) tasks: see export"
                : "# enqueue of \(NumberText.tasks(requests.count)): \(size) bytes of payload"
        }
        return requests.map { line(of: $0, to: queue) }.joined(separator: "\n")
    }

    func line(_ command: String) -> String { Self.shown("sluice \(command)") }

    func lines(of verb: VerbOnTasks) -> String {
        guard let edit = verb.verb as? EditVerb else {
            let commands = verb.kind.takesOne ? verb.targets.map { [$0] } : [verb.targets]
            return commands.map { targets in
                var part = verb
                part.targets = targets
                return line(part.command(in: text))
            }.joined(separator: "\n")
        }
        let fields = edit.fields.compactMap(field).map { "--set \(ShellWord.quoted($0))" }
        guard (edit.payload?.count ?? 0) <= Self.payloadLimit else {
            return "# edit: a payload of \(NumberText.grouped(edit.payload?.count ?? 0)) bytes"
        }
        return verb.targets.map { target in
            let words = ["edit", "\(target.id)"] + fields
            guard let payload = edit.payload else { return line(words.joined(separator: " ")) }
            guard let text = Self.argument(payload) else {
                return Self.piped(payload, into: words + ["--payload-file", "-"])
            }
            return line((words + ["--payload=\(ShellWord.quoted(text))"]).joined(separator: " "))
        }.joined(separator: "\n")
    }

    private func field(_ change: FieldChange) -> String? {
        switch change {
        case .priority(let word): "priority=\(word.text)"
        case .sortKey(let key): "sortKey=\(key.map(Self.text) ?? "")"
        case .label(let label): "label=\(label ?? "")"
        case .attemptLimit(let limit): "attempts=\(limit.map { "\($0)" } ?? "none")"
        case .expiresAt(let moment):
            "expires=\(moment.map { "+" + text.wait(until: $0) } ?? "none")"
        case .requires(let all):
            "requires=\(all.isEmpty ? "none" : all.map(\.rawValue).sorted().joined(separator: ","))"
        case .isRequired(let isSo): "required=\(isSo ? "yes" : "no")"
        case .type(let type): "type=\(type)"
        case .payload: nil
        }
    }
}

/// `enqueue` with all its options.
extension VerbScript {
    private func line(of request: EnqueueRequest, to queue: String) -> String {
        guard request.clientString.map({ $0.text != nil }) ?? true else {
            return "# enqueue: a client string that is no text"
        }
        var words = ["enqueue"]
        func add(_ option: String, _ value: String?) {
            guard let value else { return }
            words.append("\(option)=\(ShellWord.quoted(value))")
        }
        add("--priority", request.priorityName)
        if request.priorityName == nil { add("--priority", request.ownPriority.map { "\($0)" }) }
        add("--sort-key", request.sortKey.map(Self.text))
        add("--group-start", request.groupStart)
        for group in request.groupMembers { add("--group", group) }
        add("--not-before", request.notBefore.map { "+" + text.wait(until: $0) })
        add("--attempts", request.attemptLimit.map { "\($0)" })
        add("--expires", request.expiresAt.map { "+" + text.wait(until: $0) })
        for need in request.requires.map(\.rawValue).sorted() { add("--requires", need) }
        if request.isRequired { words.append("--required") }
        add("--unique", request.uniqueKey.map { "\($0):\(request.uniquePolicy.rawValue)" })
        if request.uniqueKey != nil, request.uniqueTime != .waiting {
            add("--for", request.uniqueTime.text)
        }
        add("--label", request.label)
        for header in TaskHeaders.sorted(request.headers) {
            add("--header", "\(header.name)=\(header.value)")
        }
        add("--session", request.session)
        add("--client-string", request.clientString?.text)
        let place = [queue, request.type]
        guard let payload = Self.argument(request.payload) else {
            let all = words + ["--payload-file=-", "--"] + place.map(ShellWord.quoted)
            return Self.piped(request.payload, into: all)
        }
        let values = place + (payload.isEmpty ? [] : [payload])
        let end = values.contains { $0.hasPrefix("-") } ? ["--"] : []
        return line((words + end + values.map(ShellWord.quoted)).joined(separator: " "))
    }

    private static func text(_ key: SortKey) -> String {
        switch key {
        case .integer(let number): "\(number)"
        case .text(let text): text
        }
    }
}

/// Bytes as a shell takes them.
extension VerbScript {
    /// Bytes that can be an argument, as text; nil for others.
    private static func argument(_ bytes: [UInt8]) -> String? {
        bytes.contains(0) ? nil : String(validating: bytes, as: UTF8.self)
    }

    private static func piped(_ bytes: [UInt8], into words: [String]) -> String {
        let digits = bytes.map(octal).joined()
        return shown("printf '\(digits)' | sluice \(words.joined(separator: " "))")
    }

    private static func octal(_ byte: UInt8) -> String {
        let digits = String(byte, radix: 8)
        return "\\" + String(repeating: "0", count: 3 - digits.utf8.count) + digits
    }

    /// Replaces control characters by shell commands that print them. They always occur within
    /// quotes, because the script quotes every unusual word.
    private static func shown(_ line: String) -> String {
        var made = ""
        for scalar in line.unicodeScalars {
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator:
                guard scalar != "\n", scalar != "\t" else { fallthrough }
                let digits = String(scalar).utf8.map(octal).joined()
                made += "'\"$(printf '\(digits)')\"'"
            default: made.unicodeScalars.append(scalar)
            }
        }
        return made
    }
}
