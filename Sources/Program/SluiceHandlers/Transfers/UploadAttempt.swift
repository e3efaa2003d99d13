import SluiceModel
import SluiceRunner
import SluiceSystem

/// One attempt of an upload.
///
/// Plain HTTP cannot resume a body: after an interruption, the upload starts again, with constant
/// memory.
struct UploadAttempt {
    private let transfer: Transfer
    private let request: HTTPRequest
    private let body: FileBody

    /// Opens the file to send.
    init(_ transfer: Transfer) throws {
        self.transfer = transfer
        let order = transfer.order
        let file = try Self.source(order.path, below: transfer.root)
        let start = SystemClock.monotonicNanoseconds()
        var meter = TransferMeter(totalBytes: try file.status().sizeBytes, nanoseconds: start)
        transfer.tell(meter.progress)
        body = try FileBody(file) { bytes in
            let now = SystemClock.monotonicNanoseconds()
            if let progress = meter.reach(bytes, nanoseconds: now) { transfer.tell(progress) }
        }
        let own = [
            ("Content-Type", "application/octet-stream"),
            ("Idempotency-Key", transfer.execution.idempotencyKey),
        ]
        request = HTTPRequest(
            order.method, order.url, headers: try transfer.headers.adding(own),
            bodyBytes: body.sizeBytes)
    }

    /// Sends it, as often as its conversation takes another turn.
    func run() -> HandlerOutcome { transfer.conversation.run(turn) }

    private func turn(of conversation: WebConversation) -> WebTurn {
        let sink = CollectingSink()
        _ = body.rewind()
        let verdict: WebVerdict
        do throws(HTTPFailure) {
            let head = try conversation.ask(request, body: body, sink: sink)
            verdict = conversation.verdict(on: head, text: sink.bytes)
        } catch {
            if let fault = body.fault { return .end(fault.outcome(transfer.order.path)) }
            verdict = conversation.verdict(on: error, method: request.method)
        }
        switch verdict {
        case .success: return .end(.success(result: conversation.result(sink.bytes)))
        case .again(let milliseconds, let why): return .again(milliseconds: milliseconds, why: why)
        case .end(let outcome): return .end(outcome)
        }
    }

    private static func source(
        _ path: RelativePath, below root: OpenFolder
    ) throws -> FileDescriptor {
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
    /// A file that changes now may be stable at the next attempt.
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
