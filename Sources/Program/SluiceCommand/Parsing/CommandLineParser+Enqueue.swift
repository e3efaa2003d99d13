import SluiceControl
import SluiceModel
import SluiceStore

/// `enqueue`: a queue, a type and a payload, or the lines of a file.
extension CommandLineParser {
    static func enqueue(
        _ arguments: Arguments, now: Timestamp
    ) throws(QueueError) -> EnqueueCall {
        guard let queue = arguments.values.first else {
            throw .usage("QUEUE is missing", of: arguments.command)
        }
        try Names.check(queue, of: "queue")
        if let file = arguments.text("--jsonl") {
            try refuseBesides("--jsonl", arguments)
            return EnqueueCall(
                queue: queue, source: .lines(ByteSource(file: file)),
                takesAnyQueue: arguments.has("--any-queue"))
        }
        guard !arguments.has("--any-queue") else {
            throw .usage("--any-queue is for the lines of --jsonl", of: arguments.command)
        }
        try arguments.refuseMore(than: 3)
        guard arguments.values.count > 1 else {
            throw .usage("TYPE is missing", of: arguments.command)
        }
        let request = try request(type: arguments.values[1], arguments, now: now)
        return EnqueueCall(
            queue: queue, source: .one(request, payload: try payload(arguments, at: 2)))
    }

    /// With `--jsonl` each line says all that there is to say about its task.
    private static func refuseBesides(_ name: String, _ arguments: Arguments) throws(QueueError) {
        let others = arguments.command.options.map(\.name).filter {
            $0 != name && $0 != "--any-queue" && arguments.has($0)
        }
        if let other = others.first {
            throw .usage("\(other) goes into the lines of \(name)", of: arguments.command)
        }
        guard arguments.values.count == 1 else {
            throw .usage("with \(name) the lines name the types", of: arguments.command)
        }
    }

    /// The payload among the words or in a file.
    static func payload(
        _ arguments: Arguments, at place: Int
    ) throws(QueueError) -> ByteSource? {
        let given = arguments.bytes(at: place)
        let file = arguments.text("--payload-file")
        guard given == nil || file == nil else {
            throw .usage("either PAYLOAD or --payload-file, not both", of: arguments.command)
        }
        return file.map(ByteSource.init(file:)) ?? given.map(ByteSource.bytes)
    }

    /// The headers of words such as `baggage=shop=7`.
    private static func headers(_ words: [String]) throws(QueueError) -> [String: String] {
        var headers: [String: String] = [:]
        for word in words {
            guard let equals = word.firstIndex(of: "=") else {
                throw QueueError(
                    .badValue, "--header: \"\(word)\" has no value",
                    fix: "write a name and a value: --header NAME=VALUE")
            }
            let name = String(word[..<equals])
            guard headers[name] == nil else {
                throw QueueError(
                    .badValue, "--header: \(name) is there twice", fix: "keep one of them")
            }
            headers[name] = String(word[word.index(after: equals)...])
        }
        try TaskHeaders.check(headers)
        return headers
    }

    private static func request(
        type: String, _ arguments: Arguments, now: Timestamp
    ) throws(QueueError) -> EnqueueRequest {
        try Names.check(type, of: "type")
        var request = EnqueueRequest(type: type)
        if let text = arguments.text("--priority") {
            switch try Arguments.priority(text, of: "--priority") {
            case .number(let number): request.priority = number
            case .name(let name): request.priorityName = name
            }
        }
        request.sortKey = arguments.text("--sort-key").map(Arguments.sortKey)
        request.groupStart = try arguments.name("--group-start", of: "group")
        request.groupMembers = arguments.all("--group")
        for group in request.groupMembers { try Names.check(group, of: "group") }
        request.notBefore = try arguments.moment("--not-before", now: now)
        request.attemptLimit = try arguments.count("--attempts")
        request.expiresAt = try arguments.moment("--expires", now: now)
        request.requires = try Arguments.requirements(arguments.all("--requires"), of: "--requires")
        request.isRequired = arguments.has("--required")
        if let text = arguments.text("--unique") {
            (request.uniqueKey, request.uniquePolicy) = UniquePolicy.split(text)
            try Names.check(request.uniqueKey ?? "", of: "unique key")
        }
        if let text = arguments.text("--for") {
            guard request.uniqueKey != nil else {
                throw .usage("--for needs --unique", of: arguments.command)
            }
            guard let time = UniqueTime(text: text) else {
                throw QueueError(
                    .badValue, "--for: \"\(text)\" is not allowed",
                    fix: "allowed: waiting, end, or a duration such as 10m")
            }
            request.uniqueTime = time
        }
        request.label = arguments.text("--label")
        request.headers = try headers(arguments.all("--header"))
        request.session = try arguments.name("--session", of: "session")
        request.clientString = arguments.bytes("--client-string").map { ClientString(bytes: $0) }
        return request
    }
}
