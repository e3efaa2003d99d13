import SluiceModel
import SluiceRunner
import SluiceSystem
import SluiceTestSupport

@testable import SluiceHandlers

/// An execution of a handler that asks a server.
struct Asked {
    let report = CollectingReport()
    let running: any RunningExecution

    init(_ handler: any TaskHandler, payload: String = "{}", type: String = "send") {
        self.init(handler, payload: Array(payload.utf8), type: type)
    }

    init(
        _ handler: any TaskHandler, payload: [UInt8], type: String = "send",
        task: TaskID = 1042, headers: [String: String] = [:]
    ) {
        var execution = Execution.sample(payload: payload)
        execution.task.type = type
        execution.task.id = task
        execution.task.headers = headers
        execution.idempotencyKey = "key-\(task)"
        running = handler.start(execution, report: report)
    }

    static func run(_ handler: HTTPHandler, payload: String = "{}") async -> Asked {
        let asked = Asked(handler, payload: payload)
        _ = await asked.outcome
        return asked
    }

    var outcome: HandlerOutcome { get async { await report.outcome } }

    var result: String? {
        get async {
            guard case .success(let bytes?) = await outcome else { return nil }
            return String(decoding: bytes, as: UTF8.self)
        }
    }
}

extension HTTPHandler {
    /// A handler that asks a path of a server, its waits a hundredth of the real ones.
    static func asking(
        _ server: ScriptedServer, _ path: String = "/", method: String = "POST",
        _ change: (inout WebSettings) -> Void = { _ in }
    ) -> HTTPHandler {
        asking(server.url(path), method: method, change)
    }

    static func asking(
        _ address: String, method: String = "POST",
        _ change: (inout WebSettings) -> Void = { _ in }
    ) -> HTTPHandler {
        var settings = WebSettings()
        settings.firstPauseMilliseconds = 1
        change(&settings)
        return HTTPHandler(
            address: address, method: method, settings: settings, timeoutMilliseconds: nil)
    }
}

extension HandlerOutcome {
    /// The queue pauses as it does for a server.
    static func paused(_ error: String, isCounted: Bool = false) -> HandlerOutcome {
        .pauseQueue(milliseconds: 300_000, isCounted: isCounted, error: error)
    }
}
