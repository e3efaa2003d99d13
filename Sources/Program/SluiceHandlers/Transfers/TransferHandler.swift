import SluiceModel
import SluiceRunner
import SluiceSystem

/// Brings a file to a server or from it for each task: the payload says which one below the root,
/// and where it goes (S5). `upload` and `download` differ in their direction alone.
struct TransferHandler: TaskHandler {
    /// Which way the file goes.
    enum Direction: Hashable, Sendable {
        /// `upload`: from the root to the server.
        case up
        /// `download`: from the server to the root.
        case down
    }

    let direction: Direction
    let root: TransferRoot
    let settings: WebSettings
    let timeoutMilliseconds: Int64?
    /// The descriptors of a request, the file, its state, and its folder.
    let descriptors = 9
    private let sweep = FolderSweep()

    init(
        direction: Direction, root: TransferRoot, settings: WebSettings,
        timeoutMilliseconds: Int64?
    ) {
        self.direction = direction
        self.root = root
        self.settings = settings
        self.timeoutMilliseconds = timeoutMilliseconds
    }

    func start(
        _ execution: Execution, report: any ExecutionReport
    ) -> any RunningExecution {
        WebExecution.start(report) { session, interruption in
            TransferOutcome.of(report) {
                try run(execution, report, session, interruption)
            }
        }
    }

    private func run(
        _ execution: Execution, _ report: any ExecutionReport, _ session: HTTPSession,
        _ interruption: HTTPInterruption
    ) throws -> HandlerOutcome {
        let order =
            switch direction {
            case .up: try TransferOrder.upload(execution.payload)
            case .down: try TransferOrder.download(execution.payload)
            }
        let (headers, secrets) = try settings.resolved(for: execution, order)
        let transfer = Transfer(
            execution: execution, order: order, headers: headers, root: try root.open(),
            sweep: sweep,
            conversation: WebConversation(
                order.url, settings, secrets, report: report, session: session,
                interruption: interruption))
        return switch direction {
        case .up: try UploadAttempt(transfer).run()
        case .down: try DownloadAttempt.run(transfer)
        }
    }
}

/// The transfer of one attempt: the order, the root folder and the connection.
struct Transfer {
    let execution: Execution
    let order: TransferOrder
    /// The headers from the handlers file and the payload.
    let headers: [HTTPHeader]
    /// The root folder of the file's path.
    let root: OpenFolder
    let sweep: FolderSweep
    let conversation: WebConversation

    var report: any ExecutionReport { conversation.report }

    func tell(_ progress: TransferMeter.Progress) {
        report.progress(progress.fraction, text: progress.text)
    }
}
