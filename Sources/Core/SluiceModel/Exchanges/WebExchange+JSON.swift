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
    /// Phases by their names.
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
