import SluiceModel
import SluiceRunner
import SluiceSystem

/// One attempt of a download. It resumes the previous attempt's file, and places the complete file.
final class DownloadAttempt {
    /// A broken connection allows six tries; each time this many new bytes arrive, the count
    /// restarts.
    private static let refillBytes: Int64 = 1 << 20
    /// How often it begins anew because the answers do not fit together.
    private static let mostMisfits = 2
    /// The polling interval for the temporary file's lock.
    private static let lockPauseMilliseconds: Int64 = 5

    private let transfer: Transfer
    private let part: PartFile
    private let placement: Placement
    private var meter: TransferMeter
    private var hasGained = false
    /// The file's length when the tries were last reset.
    private var refilledAt: Int64
    private var misfits = 0

    private var order: TransferOrder { transfer.order }
    private var report: any ExecutionReport { transfer.report }

    /// Downloads what no earlier execution of the task has placed.
    static func run(_ transfer: Transfer) throws -> HandlerOutcome {
        let (order, execution) = (transfer.order, transfer.execution)
        let folder = try TransferRoot.folder(of: order.path, below: transfer.root)
        let mark = FileMark(key: execution.idempotencyKey, url: order.url.text)
        let placement = Placement(
            folder: folder, path: order.path, task: execution.task.id,
            overwrites: order.overwrites, mark: mark)
        let name = PartName(key: execution.idempotencyKey)
        var waitedMilliseconds: Int64 = 0
        while true {
            if let outcome = try placement.earlier(name) { return outcome }
            try transfer.sweep.sweep(folder)
            do {
                let part = try PartFile(in: folder, name, mark: mark)
                defer { part.leave() }
                return DownloadAttempt(transfer, part, placement).run()
            } catch PartFile.Fault.held {
                // A child that was cloned and is no other program yet has the locks of us all.
                guard waitedMilliseconds < transfer.conversation.settings.lockPatienceMilliseconds
                else { throw PartFile.Fault.held }
                guard transfer.conversation.pause(milliseconds: lockPauseMilliseconds) else {
                    return .failed("stopped")
                }
                waitedMilliseconds += lockPauseMilliseconds
            }
        }
    }

    private init(_ transfer: Transfer, _ part: PartFile, _ placement: Placement) {
        self.transfer = transfer
        self.part = part
        self.placement = placement
        refilledAt = part.bytes
        meter = TransferMeter(
            bytes: part.bytes, totalBytes: part.state?.totalBytes,
            nanoseconds: SystemClock.monotonicNanoseconds())
        transfer.tell(meter.progress)
    }

    private func run() -> HandlerOutcome {
        transfer.conversation.run { conversation in
            TransferOutcome.turn { try turn(of: conversation) }
        }
    }

    /// Requests the missing part until the server sends no further part.
    private func turn(of conversation: WebConversation) throws -> WebTurn {
        while true {
            if part.isComplete(of: order.url.text) { return .end(try finish()) }
            let sink = DownloadSink(
                part, url: order.url.text, onProgress: { [self] _ in measure() },
                onRestart: { [report] lost in
                    let size = SizeText.short(lost)
                    report.log("the server sends all of it again: the \(size) here are dropped")
                })
            let head: HTTPHead
            do throws(HTTPFailure) {
                head = try conversation.ask(try request(), sink: sink)
            } catch {
                if let fault = sink.fault { throw fault }
                return broken(error, sink, conversation)
            }
            if let turn = try heard(head, sink, conversation) { return turn }
        }
    }

    private func request() throws(HTTPFailure) -> HTTPRequest {
        var headers = transfer.headers
        if let (offset, validator) = part.resumption(of: order.url.text) {
            report.log("continues at \(SizeText.short(offset))")
            do throws(HTTPHeader.Fault) {
                headers.append(try HTTPHeader("Range", "bytes=\(offset)-"))
                headers.append(try HTTPHeader("If-Range", validator))
            } catch {
                throw .transport(error.sentence)
            }
        }
        return HTTPRequest("GET", order.url, headers: headers)
    }

    /// Interprets an answer; `nil` to request the rest.
    private func heard(
        _ head: HTTPHead, _ sink: DownloadSink, _ conversation: WebConversation
    ) throws -> WebTurn? {
        switch sink.kind {
        case .content:
            let total = part.state?.totalBytes ?? head.range?.total
            guard let total, total != part.bytes else { return .end(try finish()) }
            let isPart = part.bytes < total && sink.gainedBytes > 0 && head.status == 206
            return isPart ? nil : try beginAnew()
        case .misfit: return try beginAnew()
        case .words where head.status == 416 && part.bytes > 0: return try beginAnew()
        case .nothing, .words:
            switch conversation.verdict(on: head, text: sink.words) {
            case .success: return .end(.failed("HTTP \(head.status) brought nothing"))
            case .again(let pause, let why): return .again(milliseconds: pause, why: why)
            case .end(let outcome):
                // After a final failure, discard the partial file.
                if case .giveUp = outcome { try part.discard() }
                return .end(outcome)
            }
        }
    }

    private func beginAnew() throws(SystemError) -> WebTurn? {
        misfits += 1
        guard misfits <= Self.mostMisfits else {
            return .end(.failed("\(order.url.shown): what the server sends does not fit together"))
        }
        report.log("what the server sends does not fit the file here: it begins anew")
        try part.restart(url: order.url.text, validator: nil, totalBytes: nil)
        return nil
    }

    /// A connection that broke is taken up again inside the attempt once it has brought anything.
    private func broken(
        _ failure: HTTPFailure, _ sink: DownloadSink, _ conversation: WebConversation
    ) -> WebTurn {
        hasGained = hasGained || sink.gainedBytes > 0
        if part.bytes - refilledAt >= Self.refillBytes {
            refilledAt = part.bytes
            conversation.tries.refill()
        }
        let verdict = conversation.verdict(on: failure, method: "GET")
        guard case .end(.retry(nil, let error)) = verdict, failure != .stopped, hasGained,
            let pause = conversation.tries.next()
        else {
            if case .end(let outcome) = verdict { return .end(outcome) }
            return .end(.failed("GET \(order.url.shown)"))
        }
        let there = SizeText.short(part.bytes)
        return .again(milliseconds: pause, why: "\(error ?? "broken"); \(there) are here")
    }

    private func finish() throws -> HandlerOutcome {
        try part.sync()
        let size = part.bytes
        let result = try placement.place(part.name.part)
        try part.forgetState()
        meter.totalBytes = size
        _ = meter.reach(size, nanoseconds: SystemClock.monotonicNanoseconds())
        transfer.tell(meter.progress)
        return placement.outcome(result, bytes: size)
    }

    private func measure() {
        meter.totalBytes = part.state?.totalBytes
        if let progress = meter.reach(
            part.bytes, nanoseconds: SystemClock.monotonicNanoseconds())
        {
            transfer.tell(progress)
        }
    }
}
