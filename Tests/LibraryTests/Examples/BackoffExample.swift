import Sluice

/// A report that a server takes, which is down for a while.
struct Report: TaskPayload {
    static let taskType = "report"
    var day: String
}

/// How an app sends reports: with a backoff of days, until they are taken.
func sendReports(of app: QueueClient, to server: @escaping @Sendable (Report) throws -> Void)
    async throws
{
    try app.handle(Report.self) { report, _ in try server(report) }
    try await app.control.perform(
        .setQueue(
            "reports",
            [
                .attempts(nil),
                .retry(
                    .exponential(
                        baseMilliseconds: 60_000, factor: 2, capMilliseconds: 86_400_000,
                        jitter: 0)),
            ]))
}
