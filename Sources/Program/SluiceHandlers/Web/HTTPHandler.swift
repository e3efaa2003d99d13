import SluiceModel
import SluiceRunner
import SluiceSystem

/// Sends each task to a server: the payload is the body, the answer's status is the outcome.
struct HTTPHandler: TaskHandler {
    /// The address; `{type}` is replaced by the task's type.
    let address: String
    let method: String
    let settings: WebSettings
    let timeoutMilliseconds: Int64?
    /// Its connection, and what its thread waits with.
    let descriptors = 6

    func start(
        _ execution: Execution, report: any ExecutionReport
    ) -> any RunningExecution {
        WebExecution.start(report) { session, interruption in
            run(execution, report, session, interruption)
        }
    }

    private func run(
        _ execution: Execution, _ report: any ExecutionReport, _ session: HTTPSession,
        _ interruption: HTTPInterruption
    ) -> HandlerOutcome {
        do {
            let request = try request(for: execution)
            let conversation = WebConversation(
                request.question.url, settings, request.secrets, report: report,
                session: session, interruption: interruption)
            return conversation.run { turn(of: $0, request.question, execution.payload) }
        } catch let error as WebSettings.Unready {
            return .unready(error.sentence)
        } catch HTTPFailure.unavailable(let text) {
            return .unready(text)
        } catch HTTPFailure.badURL(let text) {
            return .unready("the handler's url cannot be used: \(text)")
        } catch {
            return .unready(String(describing: error))
        }
    }

    private func turn(
        of conversation: WebConversation, _ request: HTTPRequest, _ payload: [UInt8]
    ) -> WebTurn {
        let sink = CollectingSink()
        let verdict: WebVerdict
        do throws(HTTPFailure) {
            let head = try conversation.ask(
                request, body: BytesBody(payload), sink: sink,
                onEnd: { conversation.keep($0, sent: payload, received: sink.bytes) })
            verdict = conversation.verdict(on: head, text: sink.bytes)
        } catch {
            verdict = conversation.verdict(on: error, method: method)
        }
        switch verdict {
        case .success: return .end(.success(result: conversation.result(sink.bytes)))
        case .again(let milliseconds, let why): return .again(milliseconds: milliseconds, why: why)
        case .end(let outcome): return .end(outcome)
        }
    }

    private func request(
        for execution: Execution
    ) throws -> (question: HTTPRequest, secrets: Secrets) {
        let (headers, secrets) = try settings.resolved(for: execution)
        let type = PercentText.encoded(execution.task.type)
        let url = try HTTPURL(address.replacing("{type}", with: type))
        let hasBody = method != "GET" && method != "HEAD"
        var own: [(String, String)] = []
        if hasBody {
            own.append(("Content-Type", Self.contentType(of: execution.payload)))
            own.append(("Idempotency-Key", execution.idempotencyKey))
        }
        own += Self.traceHeaders(of: execution)
        let all = try headers.adding(own)
        let bytes = hasBody ? Int64(execution.payload.count) : nil
        return (HTTPRequest(method, url, headers: all, bodyBytes: bytes), secrets)
    }

    /// The headers of a trace that the task has.
    private static func traceHeaders(of execution: Execution) -> [(String, String)] {
        TaskHeaders.ofTracing.compactMap { name in execution.headers[name].map { (name, $0) } }
    }

    private static func contentType(of payload: [UInt8]) -> String {
        let isJSON = (try? JSONValue.parse(payload)) != nil
        return isJSON ? "application/json" : "application/octet-stream"
    }
}

extension HandlerOutcome {
    /// The worker, not the task, lacks something: the queue waits for a person, nothing counts.
    static func unready(_ sentence: String) -> HandlerOutcome {
        .pauseQueue(
            milliseconds: AnswerRule.pauseMilliseconds, isCounted: false, error: sentence)
    }
}

extension [HTTPHeader] {
    /// Adds the program's own headers unless the user set them.
    func adding(_ own: [(String, String)]) throws(HTTPHeader.Fault) -> [HTTPHeader] {
        var all = self
        for (name, value) in own where !contains(where: { $0.key == name.lowercased() }) {
            all.append(try HTTPHeader(name, value))
        }
        return all
    }
}
