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
