import SluiceModel
import SluiceRunner
import SluiceSystem

/// Maps errors of a transfer to outcomes.
enum TransferOutcome {
    /// A file that is not as it must be, in words; trying again is of no use.
    struct BadFile: Error, Hashable {
        let sentence: String
    }

    /// Runs `body` and converts its errors to outcomes. Reports a shortage of this process as a
    /// failed start.
    static func of(
        _ report: any ExecutionReport, _ body: () throws -> HandlerOutcome
    ) -> HandlerOutcome {
        do {
            return try body()
        } catch {
            // A full disk is where the file goes: it pauses the queue.
            if let error = error as? SystemError, error.isShortage, !error.isFull {
                report.couldNotStart(error.sentence)
            }
            return outcome(of: error)
        }
    }

    /// Runs one turn of a conversation; an error ends it.
    static func turn(_ body: () throws -> WebTurn) -> WebTurn {
        do { return try body() } catch { return .end(outcome(of: error)) }
    }

    private static func outcome(of error: any Error) -> HandlerOutcome {
        switch error {
        case let fault as TransferOrder.Fault: .giveUp(error: fault.sentence)
        case let fault as BadFile: .giveUp(error: fault.sentence)
        case let lack as WebSettings.Unready: .unready(lack.sentence)
        case let error as SystemError: outcome(of: error)
        case HTTPFailure.unavailable(let text): .unready(text)
        case HTTPFailure.shortage(let text): .retry(afterMilliseconds: nil, error: text)
        case PartFile.Fault.held:
            .retry(
                afterMilliseconds: nil, error: "another attempt still writes the temporary file")
        case PartFile.Fault.notAFile:
            .giveUp(error: "the path of the temporary file is not a file")
        default: .retry(afterMilliseconds: nil, error: String(describing: error))
        }
    }

    private static func outcome(of error: SystemError) -> HandlerOutcome {
        if error.leadsOut {
            return .giveUp(error: "\(error.path ?? "a link") leads out of the root")
        }
        if error.isFull { return .unready(error.sentence) }
        if error.isNameTooLong || error.isWrongKind { return .giveUp(error: error.sentence) }
        return .retry(afterMilliseconds: nil, error: error.sentence)
    }
}

extension WebSettings {
    /// The headers of a transfer: the handlers file's, then additional ones of the payload. Throws
    /// if the address is not allowed.
    func resolved(
        for execution: Execution, _ order: TransferOrder
    ) throws -> (headers: [HTTPHeader], secrets: Secrets) {
        guard allows(order.url) else {
            throw TransferOrder.Fault(
                sentence: "\(order.url.host):\(order.url.port) is not among the handler's hosts")
        }
        let (own, secrets) = try resolved(for: execution)
        let keys = Set(own.map(\.key))
        return (own + order.headers.filter { !keys.contains($0.key) }, secrets)
    }
}

extension HandlerOutcome {
    /// A counted failure by the queue's rule.
    static func failed(_ error: String) -> HandlerOutcome {
        .retry(afterMilliseconds: nil, error: error)
    }
}
