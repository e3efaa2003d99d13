/// One request of an attempt with its answer: a line of the attempt's log that holds JSON.
///
/// The log keeps it, so that every store, copy and tape does. An older program shows the line as it
/// is.
package struct WebExchange: Hashable, Sendable {
    package struct Header: Hashable, Sendable {
        package var name: String
        /// The value, or the mark of a redaction.
        package var value: String

        package init(_ name: String, _ value: String) { (self.name, self.value) = (name, value) }
    }

    /// The beginning of a sent or received body.
    package struct Body: Hashable, Sendable {
        /// The most bytes that are kept.
        package static let limitBytes = 8 << 10
        /// The text; base64 of bytes that are no text.
        package var text: String
        /// Whether the text is base64.
        package var isBase64 = false
        /// The size of the whole body.
        package var bytes: Int
        /// Whether the text is only its beginning.
        package var isCut: Bool
    }

    /// How long the phases took, in microseconds; nil for one that was not needed.
    package struct Phases: Hashable, Sendable {
        /// Waiting for a connection.
        package var blocked: Int64?
        /// The server's address was looked up.
        package var dns: Int64?
        package var connect: Int64?
        /// The keys were agreed on.
        package var tls: Int64?
        /// From the request to the first byte of the answer.
        package var wait: Int64?
        /// The rest of the answer.
        package var receive: Int64?

        /// Phases from their ends, in microseconds since the start: name, connection, keys, the
        /// request's turn, first byte, end. 0 is a moment that never came.
        package init(ends: [Int64]) {
            var last: Int64 = 0
            func phase(_ place: Int) -> Int64? {
                guard ends.indices.contains(place), ends[place] > last else { return nil }
                defer { last = ends[place] }
                return ends[place] - last
            }
            (dns, connect, tls, blocked) = (phase(0), phase(1), phase(2), phase(3))
            guard ends.count > 4, ends[4] > 0 else {
                wait = phase(5)
                return
            }
            // On a busy machine the first byte may come in the microsecond of the request.
            wait = phase(4) ?? 0
            receive = phase(5)
        }

        /// The phases in their order, with their names.
        package var named: [(name: String, microseconds: Int64?)] {
            [
                ("blocked", blocked), ("dns", dns), ("connect", connect), ("tls", tls),
                ("wait", wait), ("receive", receive),
            ]
        }

        package var total: Int64 { named.reduce(0) { $0 + ($1.microseconds ?? 0) } }
    }

    /// When the request began, in milliseconds since the attempt did.
    package var atMilliseconds: Int64
    package var method: String
    /// The address without user, password and query.
    package var url: String
    /// The head of the request, without secrets.
    package var headers: [Header]
    /// The body of the request; nil for none.
    package var body: Body?
    /// Whether the attempt's previous request had the same body, which is then not kept again.
    package var repeatsBody = false
    /// The answer's status; nil if none came.
    package var status: Int?
    /// The protocol of the answer, such as `HTTP/1.1`.
    package var version: String?
    /// The head of the answer, without secrets.
    package var answerHeaders: [Header] = []
    /// The body of the answer, as far as it was read; nil for none.
    package var answer: Body?
    /// Why there is no answer.
    package var error: String?
    /// How long what took.
    package var phases: Phases

    /// A request that began at a moment of its attempt.
    package init(
        at atMilliseconds: Int64, _ method: String, _ url: String, headers: [Header],
        phases: Phases
    ) {
        (self.atMilliseconds, self.method, self.url) = (atMilliseconds, method, url)
        (self.headers, self.phases) = (headers, phases)
    }

    /// The same with another spelling of each text in it that came from outside.
    package func mappingTexts(
        body change: (Body) -> Body, text: (String) -> String
    ) -> WebExchange {
        var exchange = self
        exchange.url = text(url)
        exchange.headers = headers.map { Header($0.name, text($0.value)) }
        exchange.answerHeaders = answerHeaders.map { Header($0.name, text($0.value)) }
        exchange.body = body.map(change)
        exchange.answer = answer.map(change)
        exchange.error = error.map(text)
        return exchange
    }
}

extension WebExchange.Body {
    /// The beginning of these bytes; nil for none. `left` counts further bytes of the body.
    package init?(_ content: [UInt8], left: Int = 0) {
        guard !content.isEmpty else { return nil }
        var kept = content.prefix(Self.limitBytes)
        // A character that is cut in two is left out.
        while kept.count < content.count, let last = kept.last, last & 0xC0 == 0x80 || last >= 0xC0
        {
            kept.removeLast()
            if last >= 0xC0 { break }
        }
        if let text = String(validating: kept, as: UTF8.self) {
            self.init(text: text, isBase64: false, bytes: 0, isCut: false)
        } else {
            let bytes = Array(content.prefix(Self.limitBytes))
            self.init(text: Base64.encode(bytes), isBase64: true, bytes: 0, isCut: false)
        }
        bytes = content.count + left
        isCut = kept.count < bytes
    }
}

extension AttemptRecord {
    /// The requests of its `http` handler, in their order.
    package var exchanges: [WebExchange] { log.compactMap { WebExchange(line: $0) } }
    /// The lines of its log without requests and stages.
    package var plainLog: [String] {
        log.filter { !WebExchange.isOne($0) && AttemptStage(line: $0) == nil }
    }
    /// The log for people: of a request its head, its answer and its times; of a stage its begin.
    package var shownLog: [String] {
        log.flatMap { line in
            WebExchange(line: line)?.lines ?? [AttemptStage(line: line)?.sentence ?? line]
        }
    }
}

/// An exchange as a line of a log.
extension WebExchange {
    private static let beginning = #"{"exchange":"#

    /// Whether a line of a log is meant to be one.
    package static func isOne(_ line: String) -> Bool { WebExchange(line: line) != nil }

    package var line: String { JSONValue.object(["exchange": json]).text }

    /// Reads a line; nil for one that is no exchange.
    package init?(line: String) {
        guard line.utf8.starts(with: Self.beginning.utf8),
            let object = (try? JSONValue.parse(Array(line.utf8)))?.object?["exchange"]?.object,
            let at = object["at"]?.integer, let method = object["method"]?.string,
            let url = object["url"]?.string
        else { return nil }
        let times = object["microseconds"]?.object
        self.init(
            at: at, method, url, headers: Self.headers(object["headers"]),
            phases: Phases { times?[$0]?.integer })
        body = object["body"].flatMap(Body.init)
        repeatsBody = object["sameBody"]?.bool ?? false
        status = object["status"]?.integer.flatMap { Int(exactly: $0) }
        version = object["version"]?.string
        answerHeaders = Self.headers(object["answerHeaders"])
        answer = object["answer"].flatMap(Body.init)
        error = object["error"]?.string
    }

    /// The form of `show --json`, without missing values.
    package var json: JSONValue {
        var object: JSONObject = [
            "at": .integer(atMilliseconds), "method": .string(method), "url": .string(url),
            "headers": Self.json(headers),
        ]
        object["body"] = body?.json
        if repeatsBody { object["sameBody"] = true }
        object["status"] = status.map { JSONValue($0) }
        object["version"] = version.map(JSONValue.string)
        if status != nil { object["answerHeaders"] = Self.json(answerHeaders) }
        object["answer"] = answer?.json
        object["error"] = error.map(JSONValue.string)
        var times = JSONObject()
        for phase in phases.named { times[phase.name] = phase.microseconds.map { .integer($0) } }
        object["microseconds"] = .object(times)
        return .object(object)
    }

    private static func json(_ headers: [Header]) -> JSONValue {
        .array(headers.map { ["name": .string($0.name), "value": .string($0.value)] })
    }

    private static func headers(_ value: JSONValue?) -> [Header] {
        (value?.array ?? []).compactMap { header in
            guard let name = header.object?["name"]?.string,
                let value = header.object?["value"]?.string
            else { return nil }
            return Header(name, value)
        }
    }
}

extension WebExchange.Phases {
    fileprivate init(_ microseconds: (String) -> Int64?) {
        self.init(ends: [])
        (blocked, dns) = (microseconds("blocked"), microseconds("dns"))
        (connect, tls) = (microseconds("connect"), microseconds("tls"))
        (wait, receive) = (microseconds("wait"), microseconds("receive"))
    }
}

extension WebExchange.Body {
    fileprivate init?(_ value: JSONValue) {
        guard let object = value.object, let bytes = object["bytes"]?.integer else { return nil }
        let (text, base64) = (object["text"]?.string, object["base64"]?.string)
        guard let content = text ?? base64 else { return nil }
        self.init(
            text: content, isBase64: text == nil, bytes: Int(clamping: bytes),
            isCut: object["cut"]?.bool ?? false)
    }

    fileprivate var json: JSONValue {
        var object: JSONObject = [
            "bytes": JSONValue(bytes), isBase64 ? "base64" : "text": .string(text),
        ]
        if isCut { object["cut"] = true }
        return .object(object)
    }
}

/// An exchange for people, line by line.
extension WebExchange {
    /// The request with what came of it, the phases, then both messages: `>` for the request, `<`
    /// for the answer.
    package var lines: [String] {
        let end = status.map { HTTPStatus.words($0) } ?? error ?? "no answer"
        var lines = ["\(method) \(url): \(end), \(Self.time(phases.total))"]
        let told = phases.named.compactMap { phase in
            phase.microseconds.map { "\(phase.name) \(Self.time($0))" }
        }
        if told.count > 1 { lines.append("  " + told.joined(separator: ", ")) }
        lines += Self.message("> ", headers, body)
        if repeatsBody { lines.append("  > (the same body as before)") }
        return lines + Self.message("< ", answerHeaders, answer)
    }

    private static func message(_ sign: String, _ headers: [Header], _ body: Body?) -> [String] {
        var lines = headers.map { "  \(sign)\($0.name): \($0.value)" }
        guard let body else { return lines }
        lines += body.text.split(omittingEmptySubsequences: false) { $0.isNewline }.map {
            "  \(sign)\($0)"
        }
        if body.isCut { lines.append("  \(sign)(cut: \(body.bytes) bytes)") }
        return lines
    }

    private static func time(_ microseconds: Int64) -> String {
        microseconds < 1000
            ? "\(microseconds) us" : DurationText.taken(microseconds / 1000)
    }
}

/// Exchanges without the redacted values.
extension Redactions {
    /// The names of headers whose values are never kept: credentials, and headers of the task,
    /// which `show` prints.
    package static func isSecret(header name: String) -> Bool {
        let name = name.lowercased()
        let secrets = [
            "authorization", "x-auth", "cookie", "token", "secret", "password", "api-key", "apikey",
        ]
        return TaskHeaders.ofTracing.contains(name) || secrets.contains { name.contains($0) }
    }

    /// An exchange with the mark for the values. A body that is cut or no text is left out, for its
    /// values cannot be found.
    package mutating func clean(_ exchange: WebExchange) -> WebExchange {
        guard !counts.isEmpty else { return exchange }
        var redactions = self
        let clean = exchange.mappingTexts(
            body: { redactions.clean($0) }, text: { redactions.clean($0) })
        self = redactions
        return clean
    }

    /// The lines of a log for people, with the mark for the values.
    package mutating func cleanLog(of attempt: AttemptRecord) -> [String] {
        var lines: [String] = []
        for line in attempt.log {
            if let exchange = WebExchange(line: line) {
                lines += clean(exchange).lines
            } else {
                lines.append(clean(line))
            }
        }
        return lines
    }

    private mutating func clean(_ body: WebExchange.Body) -> WebExchange.Body {
        var body = body
        if let json = try? JSONValue.parse(Array(body.text.utf8)), !body.isBase64 {
            learn(Array(body.text.utf8))
            let cleaned = clean(json)
            body.text = clean(cleaned == json ? body.text : cleaned.text)
        } else if body.isCut || body.isBase64 {
            (body.text, body.isBase64) = (Self.mark, false)
        } else {
            body.text = clean(body.text)
        }
        return body
    }
}
