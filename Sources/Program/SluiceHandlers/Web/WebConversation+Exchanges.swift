import SluiceHTTPClient
import SluiceModel
import SluicePlatform
import SluiceRunner

/// The exchanges of an attempt, kept with it.
extension WebConversation {
    /// Keeps a request with its answer. No value of a secret, and none of a header for credentials,
    /// is kept.
    func keep(_ trace: HTTPTrace, sent: [UInt8]?, received: [UInt8]) {
        let phases = WebExchange.Phases(ends: trace.phaseEnds)
        let now = Int64((SystemClock.monotonicNanoseconds() - began) / 1_000_000)
        var exchange = WebExchange(
            at: max(0, now - phases.total / 1000), trace.request.method, shown(trace.request.url),
            headers: trace.request.headers.map { header($0.name, $0.value) }, phases: phases)
        if let sent, trace.request.bodyBytes != nil {
            exchange.repeatsBody = keptBody == sent && !sent.isEmpty
            if !exchange.repeatsBody { exchange.body = body(sent) }
            keptBody = sent
        }
        exchange.status = trace.status
        exchange.version = trace.version
        exchange.answerHeaders = trace.headers.map { header($0.name, $0.value) }
        let length = trace.headers.first { $0.name.lowercased() == "content-length" }
        exchange.answer = body(received, wholeBytes: length.flatMap { Int($0.value) })
        exchange.error = trace.failure.map { secrets.hidden($0.sentence) }
        report.exchange(exchange.line)
    }

    private func body(_ bytes: [UInt8], wholeBytes: Int? = nil) -> WebExchange.Body? {
        // The spare bytes complete a secret at the end of the kept part.
        let beginning = Array(bytes.prefix(WebExchange.Body.limitBytes + CollectingSink.spareBytes))
        let left = max(bytes.count, wholeBytes ?? 0) - beginning.count
        return WebExchange.Body(secrets.hidden(beginning), left: left)
    }

    private func header(_ name: String, _ value: String) -> WebExchange.Header {
        WebExchange.Header(
            name, Redactions.isSecret(header: name) ? Redactions.mark : secrets.hidden(value))
    }

    /// The address, whose query may hold a secret.
    private func shown(_ url: HTTPURL) -> String {
        secrets.hidden(url.shown) + (url.text.contains("?") ? "?\(Redactions.mark)" : "")
    }
}

extension HTTPFailure {
    /// The reason of a failure, in a few words.
    fileprivate var sentence: String {
        switch self {
        case .stopped: "stopped"
        case .stalled(let milliseconds):
            "not one byte came or went for \(DurationText.compact(milliseconds))"
        case .slowHead: "the header of the answer was not whole"
        case .aborted: "broken off"
        case .offline(let text), .transport(let text), .badURL(let text), .redirect(let text),
            .unavailable(let text), .shortage(let text):
            text
        }
    }
}
