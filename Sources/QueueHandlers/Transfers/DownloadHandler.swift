import HTTPClient
import Platform
import QueueModel
import QueueRunner

/// Downloads a file for each task: the payload says from where and to where below the root (S5).
struct DownloadHandler: TaskHandler {
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
        let order = try TransferOrder.download(execution.payload)
        let (headers, secrets) = try settings.resolved(for: execution, order)
        let folder = try TransferRoot.folder(of: order.path, below: root.open())
        let mark = FileMark(key: execution.idempotencyKey, url: order.url.text)
        let placement = Placement(
            folder: folder, path: order.path, task: execution.task.id,
            overwrites: order.overwrites, mark: mark)
        let name = PartName(key: execution.idempotencyKey)
        if let outcome = try placement.earlier(name) { return outcome }
        try FolderSweep.shared.sweep(folder)
        let part = try PartFile(in: folder, name, mark: mark)
        defer { part.leave() }
        let attempt = DownloadAttempt(order, headers, part, placement, report)
        let conversation = WebConversation(
            order.url, settings, secrets, report: report, session: session,
            interruption: interruption)
        return conversation.run { conversation in
            TransferOutcome.turn { try attempt.turn(of: conversation) }
        }
    }
}
