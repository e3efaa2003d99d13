import QueueModel
import QueueRunner

/// Makes the handler of one type out of its entry in a handlers file.
struct HandlerEntry {
    private static let kinds = ["command", "http", "upload", "download", "simulate"]
    private static let nameLimit = 200

    let place: HandlerPlace
    let folder: String
    let environment: [String]

    func handler(_ value: JSONValue) throws(QueueError) -> any TaskHandler {
        try checkName()
        let fields = try HandlerFields(value, at: place)
        try fields.refuseKeys(except: Self.kinds + ["timeout", "beforeDelete"])
        let kinds = fields.object.pairs.filter { Self.kinds.contains($0.key) }
        guard let kind = kinds.first else {
            throw place.error(
                "it does not say what runs it",
                fix: "add one of \(Self.kinds.joined(separator: ", "))")
        }
        guard kinds.count == 1 else {
            let names = kinds.map { "\"\($0.key)\"" }.joined(separator: " and ")
            throw place.error("it has \(names)", fix: "keep one of them")
        }
        let timeout = try fields.duration("timeout", atLeast: 1)
        let handler = try handler(kind, timeout: timeout)
        guard let words = fields.object["beforeDelete"] else { return handler }
        let cleanup = try command(words, at: place.key("beforeDelete"), timeout: nil)
        return CleaningHandler(handler, cleanup: cleanup)
    }

    private func handler(
        _ kind: JSONObject.Pair, timeout: Int64?
    ) throws(QueueError) -> any TaskHandler {
        switch kind.key {
        case "command":
            return try command(kind.value, at: place.key("command"), timeout: timeout)
        case "simulate":
            let entry = try SimulateEntry(kind.value, at: place.key("simulate"))
            return try entry.handler(timeout: timeout)
        default:
            let entry = try WebEntry(
                kind.value, at: place.key(kind.key), folder: folder, environment: environment)
            switch kind.key {
            case "http": return try entry.http(timeout: timeout)
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
        return CommandHandler(
            program: absolute(program), arguments: Array(words.dropFirst()), directory: folder,
            environment: environment, timeoutMilliseconds: timeout)
    }

    /// A path counts from the file's folder; a bare name is for PATH.
    private func absolute(_ program: String) -> String {
        guard program.utf8.contains(UInt8(ascii: "/")) else { return program }
        return HandlersFile.absolute(program, from: folder)
    }
}
