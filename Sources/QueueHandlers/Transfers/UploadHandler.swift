import HTTPClient
import Platform
import QueueModel
import QueueRunner

/// Sends a file for each task: the payload says which one below the root, and to where (S5).
///
/// Plain HTTP cannot go on in the middle of a body: after an interruption it is sent again from its
/// start, in constant memory.
struct UploadHandler: TaskHandler {
    let root: TransferRoot
    let settings: WebSettings
    let timeoutMilliseconds: Int64?

    func start(
        _ execution: Execution, report: any ExecutionReport
    ) -> any RunningExecution {
        WebExecution.start(report) { session, interruption in
            TransferOutcome.of {
                try run(execution, report, session, interruption)
            }
        }
    }

    private func run(
        _ execution: Execution, _ report: any ExecutionReport, _ session: HTTPSession,
        _ interruption: HTTPInterruption
    ) throws -> HandlerOutcome {
        let order = try TransferOrder.upload(execution.payload)
        let (headers, secrets) = try settings.resolved(for: execution, order)
        let file = try source(order.path)
        let start = SystemClock.monotonicNanoseconds()
        var meter = TransferMeter(totalBytes: try file.status().sizeBytes, nanoseconds: start)
        report.progress(meter.progress.fraction, text: meter.progress.text)
        let body = try FileBody(file) { bytes in
            let now = SystemClock.monotonicNanoseconds()
            guard let progress = meter.reach(bytes, nanoseconds: now) else { return }
            report.progress(progress.fraction, text: progress.text)
        }
        let own = [
            ("Content-Type", "application/octet-stream"),
            ("Idempotency-Key", execution.idempotencyKey),
        ]
        let request = HTTPRequest(
            order.method, order.url, headers: try headers.adding(own), bodyBytes: body.sizeBytes)
        let conversation = WebConversation(
            order.url, settings, secrets, report: report, session: session,
            interruption: interruption)
        return conversation.run { turn(of: $0, request, body, order.path) }
    }

    private func turn(
        of conversation: WebConversation, _ request: HTTPRequest, _ body: FileBody,
        _ path: RelativePath
    ) -> WebTurn {
        let sink = CollectingSink()
        _ = body.rewind()
        let verdict: WebVerdict
        do throws(HTTPFailure) {
            let head = try conversation.ask(request, body: body, sink: sink)
            verdict = conversation.verdict(on: head, text: sink.bytes)
        } catch {
            if let fault = body.fault { return .end(fault.outcome(path)) }
            verdict = conversation.verdict(on: error, method: request.method)
        }
        switch verdict {
        case .success: return .end(.success(result: conversation.result(sink.bytes)))
        case .again(let milliseconds, let why): return .again(milliseconds: milliseconds, why: why)
        case .end(let outcome): return .end(outcome)
        }
    }

    private func source(_ path: RelativePath) throws -> FileDescriptor {
        let root = try root.open()
        do throws(SystemError) {
            if let file = try root.file(beneath: path.text) { return file }
        } catch {
            guard error.isMissing else { throw error }
            throw TransferOutcome.BadFile(sentence: "there is no source \(path.text)")
        }
        throw TransferOutcome.BadFile(sentence: "the source \(path.text) is not a regular file")
    }
}

extension FileBody.Fault {
    /// A file that is written to may be still by the next attempt.
    fileprivate func outcome(_ path: RelativePath) -> HandlerOutcome {
        switch self {
        case .system(let error): .failed("\(path.text): \(error.sentence)")
        case .shrank(let bytes):
            .failed("\(path.text) shrank to \(SizeText.short(bytes)) while it was sent")
        case .changed(let bytes):
            .failed(
                "\(path.text) was written to while it was sent: it has \(SizeText.short(bytes)) "
                    + "now")
        }
    }
}
