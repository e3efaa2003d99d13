import SluiceModel

/// An exchange as an entry of HTTP Archive 1.2.
struct HAREntry {
    let exchange: WebExchange
    let attempt: AttemptRecord
    /// Its number in the attempt, from 1.
    let number: Int
    /// The task's name in another system, such as the UUID of a folder.
    let reference: String?

    var json: JSONValue {
        let start = Timestamp(
            milliseconds: attempt.startedAt.milliseconds + exchange.atMilliseconds)
        let name = reference ?? "#\(attempt.task)"
        return [
            "startedDateTime": .string(TimeText.rfc3339(start)),
            "time": Self.milliseconds(exchange.phases.total),
            "request": request, "response": response, "cache": [:], "timings": timings,
            "comment": .string(
                "\(name) \(attempt.type), attempt \(attempt.number), request \(number)"),
            "_task": .integer(attempt.task), "_queue": .string(attempt.queue),
            "_attempt": JSONValue(attempt.number), "_outcome": JSONValue(attempt.outcome?.rawValue),
        ]
    }

    private var request: JSONValue {
        var object: JSONObject = [
            "method": .string(exchange.method), "url": .string(exchange.url),
            "httpVersion": .string(exchange.version ?? "HTTP/1.1"), "cookies": [],
            "headers": Self.headers(exchange.headers), "queryString": [], "headersSize": -1,
            "bodySize": JSONValue(exchange.body?.bytes ?? (exchange.repeatsBody ? -1 : 0)),
        ]
        if let body = exchange.body {
            var data: JSONObject = [
                "mimeType": .string(Self.type(exchange.headers)), "text": .string(body.text),
            ]
            if let comment = Self.comment(body) { data["comment"] = .string(comment) }
            object["postData"] = .object(data)
        } else if exchange.repeatsBody {
            object["comment"] = "the same body as the request before"
        }
        return .object(object)
    }

    private var response: JSONValue {
        var content: JSONObject = [
            "size": JSONValue(exchange.answer?.bytes ?? 0),
            "mimeType": .string(Self.type(exchange.answerHeaders)),
        ]
        content["text"] = exchange.answer.map { .string($0.text) }
        if exchange.answer?.isBase64 == true { content["encoding"] = "base64" }
        content["comment"] = exchange.answer.flatMap(Self.comment).map(JSONValue.string)
        let location = exchange.answerHeaders.first { $0.name.lowercased() == "location" }
        var object: JSONObject = [
            "status": JSONValue(exchange.status ?? 0),
            "statusText": .string(exchange.status.flatMap(HTTPStatus.name) ?? ""),
            "httpVersion": .string(exchange.version ?? ""), "cookies": [],
            "headers": Self.headers(exchange.answerHeaders), "content": .object(content),
            "redirectURL": .string(location?.value ?? ""), "headersSize": -1,
            "bodySize": JSONValue(exchange.answer?.bytes ?? -1),
        ]
        object["_error"] = exchange.error.map(JSONValue.string)
        return .object(object)
    }

    /// -1 is a phase that was not needed, except for the three that the format demands.
    private var timings: JSONValue {
        func optional(_ microseconds: Int64?) -> JSONValue {
            microseconds.map(Self.milliseconds) ?? -1
        }
        let phases = exchange.phases
        // The format counts the agreement on keys as a part of the connection.
        let connect = phases.connect.map { $0 + (phases.tls ?? 0) }
        return [
            "blocked": optional(phases.blocked), "dns": optional(phases.dns),
            "connect": optional(connect), "ssl": optional(phases.tls), "send": 0,
            "wait": Self.milliseconds(phases.wait ?? 0),
            "receive": Self.milliseconds(phases.receive ?? 0),
        ]
    }

    private static func milliseconds(_ microseconds: Int64) -> JSONValue {
        JSONValue(Double(microseconds) / 1000)
    }

    private static func headers(_ headers: [WebExchange.Header]) -> JSONValue {
        .array(headers.map { ["name": .string($0.name), "value": .string($0.value)] })
    }

    private static func type(_ headers: [WebExchange.Header]) -> String {
        headers.first { $0.name.lowercased() == "content-type" }?.value ?? ""
    }

    private static func comment(_ body: WebExchange.Body) -> String? {
        switch (body.isBase64, body.isCut) {
        case (true, true): "the beginning, in base64"
        case (true, false): "in base64"
        case (false, true): "the beginning"
        case (false, false): nil
        }
    }
}
