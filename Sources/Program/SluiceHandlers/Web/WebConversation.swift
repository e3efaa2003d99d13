import SluiceModel
import SluiceRunner
import SluiceSystem

/// The conversation of one attempt with one server: requests, waits and retries until there is an
/// outcome.
final class WebConversation {
    let report: any ExecutionReport
    let settings: WebSettings
    /// The address of the first request.
    let url: HTTPURL
    let secrets: Secrets
    var tries: TryLadder
    /// When the attempt began, by the monotonic clock.
    let began = SystemClock.monotonicNanoseconds()
    /// The body of the last request that was kept.
    var keptBody: [UInt8]?
    private let session: HTTPSession
    private let interruption: HTTPInterruption
    private let servers: ServerRecord

    init(
        _ url: HTTPURL, _ settings: WebSettings, _ secrets: Secrets, report: any ExecutionReport,
        session: HTTPSession, interruption: HTTPInterruption,
        servers: ServerRecord = .shared
    ) {
        self.url = url
        self.settings = settings
        self.secrets = secrets
        self.report = report
        self.session = session
        self.interruption = interruption
        self.servers = servers
        let isSpent = servers.isSpent(
            url.origin, nanoseconds: SystemClock.monotonicNanoseconds())
        tries = TryLadder(firstMilliseconds: settings.firstPauseMilliseconds, isSpent: isSpent)
    }

    /// Takes turns until one of them ends it. No error that a turn gives shows a secret.
    func run(_ turn: (WebConversation) -> WebTurn) -> HandlerOutcome {
        while true {
            switch turn(self) {
            case .end(let outcome): return outcome.hiding(secrets)
            case .again(let milliseconds, let why):
                let time = DurationText.compact(milliseconds)
                report.log(secrets.hidden("\(why); asked again in \(time)"))
                guard pause(milliseconds: milliseconds) else {
                    return .retry(afterMilliseconds: nil, error: "stopped")
                }
            }
        }
    }

    /// Waits; false after a request to stop.
    func pause(milliseconds: Int64) -> Bool {
        session.pause(milliseconds: milliseconds, interruption)
    }

    /// One exchange with its redirects; `onEnd` is given each request with what came of it.
    func ask(
        _ request: HTTPRequest, body: (any HTTPBody)? = nil, sink: any HTTPSink,
        onEnd: ((HTTPTrace) -> Void)? = nil
    ) throws(HTTPFailure) -> HTTPHead {
        var request = request
        request.limits = settings.limits
        request.certificates = settings.certificates
        let head = try session.answer(
            to: request, body: body, sink: sink, interruption, onEnd: onEnd,
            onRedirect: { report.log(secrets.hidden("redirected to \($0.shown)")) })
        if head.status < 500 { servers.refill(url.origin) }
        return head
    }

    /// The verdict on an answer; a server that used up the tries is remembered.
    func verdict(on head: HTTPHead, text: [UInt8]) -> WebVerdict {
        let verdict = AnswerRule(giveUpOn: settings.giveUpOn).verdict(
            on: head, text: beginning(of: text), tries: &tries)
        if case .end(.pauseQueue(_, true, _)) = verdict {
            servers.spend(url.origin, nanoseconds: SystemClock.monotonicNanoseconds())
        }
        return verdict
    }

    /// The verdict where there was no answer.
    func verdict(on failure: HTTPFailure, method: String) -> WebVerdict {
        if case .shortage(let text) = failure { report.couldNotStart(secrets.hidden(text)) }
        return AnswerRule.verdict(on: failure, subject: "\(method) \(url.shown)")
    }

    /// The result of a successful answer, without secrets and up to a limit; `nil` if empty.
    func result(_ text: [UInt8]) -> [UInt8]? {
        let whole = secrets.hidden(text)
        guard whole.count > CollectingSink.resultBytes else { return whole.isEmpty ? nil : whole }
        let limit = SizeText.compact(CollectingSink.resultBytes)
        report.log("the result is cut at \(limit): the answer was longer")
        return Array(whole.prefix(CollectingSink.resultBytes))
    }

    /// The first kilobyte of the server's body, in whole characters, without secrets.
    private func beginning(of text: [UInt8]) -> String {
        BoundedText.prefix(
            String(decoding: secrets.hidden(text), as: UTF8.self), bytes: 1024)
    }
}

/// How a turn of a conversation ends.
enum WebTurn: Hashable, Sendable {
    case end(HandlerOutcome)
    case again(milliseconds: Int64, why: String)
}

extension HandlerOutcome {
    /// The outcome without any secret in its error.
    func hiding(_ secrets: Secrets) -> HandlerOutcome {
        switch self {
        case .success: self
        case .retry(let after, let error):
            .retry(afterMilliseconds: after, error: error.map(secrets.hidden))
        case .park(let error): .park(error: error.map(secrets.hidden))
        case .giveUp(let error): .giveUp(error: error.map(secrets.hidden))
        case .pauseQueue(let milliseconds, let isCounted, let error):
            .pauseQueue(
                milliseconds: milliseconds, isCounted: isCounted,
                error: error.map(secrets.hidden))
        case .offline(let error): .offline(error: error.map(secrets.hidden))
        }
    }
}

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
