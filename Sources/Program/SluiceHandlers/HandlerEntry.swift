import SluiceModel
import SluiceRunner

/// Makes the handler of one type out of its entry in a handlers file.
struct HandlerEntry {
    private static let kinds = ["command", "process", "http", "upload", "download", "simulate"]
    private static let others = ["timeout", "queues", "beforeDelete"] + ProcessEntry.keys
    private static let nameLimit = 200

    let place: HandlerPlace
    let folder: String
    let environment: [String]
    let tapes: TapeCache
    let defaults: HandlerDefaults

    /// The handlers of an entry: one, or one for each of a list, with the queues that it is for.
    func handlers(
        _ value: JSONValue
    ) throws(QueueError) -> [(queues: HandlerTable.Place, handler: any TaskHandler)] {
        try checkName()
        guard let list = value.array else { return [try handler(value)] }
        guard !list.isEmpty else {
            throw place.error("the list is empty", fix: "write an object, or several in the list")
        }
        var found: [(queues: HandlerTable.Place, handler: any TaskHandler)] = []
        for (index, element) in list.enumerated() {
            let entry = HandlerEntry(
                place: place.key("\(index)"), folder: folder, environment: environment,
                tapes: tapes, defaults: defaults)
            found.append(try entry.handler(element))
        }
        return found
    }

    private func handler(
        _ value: JSONValue
    ) throws(QueueError) -> (queues: HandlerTable.Place, handler: any TaskHandler) {
        let fields = try HandlerFields(value, at: place)
        try fields.refuseKeys(except: Self.kinds + Self.others)
        return (try queues(fields), try handler(fields))
    }

    /// The entry's queues: names that begin with the text before the `*`.
    private func queues(_ fields: HandlerFields) throws(QueueError) -> HandlerTable.Place {
        guard let pattern = try fields.text("queues") else { return .anywhere }
        let prefix = String(pattern.dropLast())
        guard pattern.last == "*", !prefix.contains("*"), Names.isValid(prefix) else {
            throw fields.bad(
                "queues", "\"\(pattern)\"", needed: "the beginning of names and a star: \"chat-*\"")
        }
        return .prefix(Names.composed(prefix))
    }

    private func handler(_ fields: HandlerFields) throws(QueueError) -> any TaskHandler {
        let kinds = fields.object.pairs.filter { Self.kinds.contains($0.key) }
        guard let kind = kinds.first else {
            throw place.error(
                "it does not say how it is run",
                fix: "add one of \(Self.kinds.joined(separator: ", "))")
        }
        guard kinds.count == 1 else {
            let names = kinds.map { "\"\($0.key)\"" }.joined(separator: " and ")
            throw place.error("it has \(names)", fix: "keep one of them")
        }
        let timeout = try fields.duration("timeout", atLeast: 1)
        let handler = try handler(kind, of: fields, timeout: timeout)
        guard let words = fields.object["beforeDelete"] else { return handler }
        let cleanup = try command(words, at: place.key("beforeDelete"), timeout: nil)
        return CleaningHandler(handler, cleanup: cleanup)
    }

    private func handler(
        _ kind: JSONObject.Pair, of fields: HandlerFields, timeout: Int64?
    ) throws(QueueError) -> any TaskHandler {
        let stay = try ProcessEntry(fields, isMeant: kind.key == "process")
        switch kind.key {
        case "process":
            let words = try words(kind.value, at: place.key("process"))
            return ProcessHandler(
                program: words.program, arguments: words.arguments, directory: folder,
                environment: environment, copies: stay.copies,
                silenceMilliseconds: stay.silenceMilliseconds, timeoutMilliseconds: timeout)
        case "command":
            return try command(kind.value, at: place.key("command"), timeout: timeout)
        case "simulate":
            let entry = try SimulateEntry(
                kind.value, at: place.key("simulate"), folder: folder, tapes: tapes)
            return try entry.handler(timeout: timeout)
        default:
            let entry = try WebEntry(
                kind.value, at: place.key(kind.key), folder: folder, environment: environment)
            switch kind.key {
            case "http":
                return try entry.http(timeout: timeout) {
                    defaults.giveUpOn($0, type: place.type ?? "")
                }
            case "upload": return try entry.upload(timeout: timeout)
            default: return try entry.download(timeout: timeout)
            }
        }
    }

    private func checkName() throws(QueueError) {
        let name = place.type ?? ""
        let hasControl = name.unicodeScalars.contains { $0.properties.generalCategory == .control }
        guard !name.isEmpty, name.count <= Self.nameLimit, !hasControl else {
            throw place.error(
                "that is no name of a type",
                fix: "it must have 1 to \(Self.nameLimit) characters, none of them a control "
                    + "character")
        }
    }

    private func command(
        _ value: JSONValue, at place: HandlerPlace, timeout: Int64?
    ) throws(QueueError) -> CommandHandler {
        let words = try words(value, at: place)
        return CommandHandler(
            program: words.program, arguments: words.arguments, directory: folder,
            environment: environment, timeoutMilliseconds: timeout)
    }

    private func words(
        _ value: JSONValue, at place: HandlerPlace
    ) throws(QueueError) -> (program: String, arguments: [String]) {
        let needed = #"a list of strings such as ["./run.sh", "--fast"]"#
        guard let elements = value.array else { throw place.wrongKind(value, needed: needed) }
        var words: [String] = []
        for (index, element) in elements.enumerated() {
            guard let word = element.string else {
                throw place.key("\(index)").wrongKind(element, needed: "a string")
            }
            guard !word.utf8.contains(0) else {
                throw place.error(
                    "\(place.key("\(index)").subject) holds a zero byte", fix: "take it out")
            }
            words.append(word)
        }
        guard let program = words.first, !program.isEmpty else {
            throw place.error("\(place.subject) names no program", fix: "it must be \(needed)")
        }
        return (absolute(program), Array(words.dropFirst()))
    }

    /// A path counts from the file's folder; a bare name is for PATH.
    private func absolute(_ program: String) -> String {
        guard program.utf8.contains(UInt8(ascii: "/")) else { return program }
        return HandlersFile.absolute(program, from: folder)
    }
}
