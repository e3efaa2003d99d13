import SluiceControl
import SluiceModel

/// How `queues --chart` draws.
struct ChartCall: Hashable, Sendable {
    /// The queue with charts; nil for the first one.
    var queue: String?
    /// Looks back 15 minutes, else an hour.
    var isQuarter = false
    /// Draws with ASCII alone.
    var isASCII = false
}

/// The values of `queues --last`.
private enum ChartPeriod: String, CaseIterable {
    case quarter = "15m"
    case hour = "1h"
}

extension CommandLineParser {
    static func queues(_ arguments: Arguments) throws(QueueError) -> CommandQuery {
        try arguments.refuseMore(than: 0)
        let period: ChartPeriod? = try arguments.choice("--last")
        let call = ChartCall(
            queue: try arguments.name("--queue", of: "queue"), isQuarter: period == .quarter,
            isASCII: arguments.has("--ascii"))
        guard !arguments.has("--chart") else { return .charts(call) }
        guard call == ChartCall(), period == nil else {
            throw .usage("--queue, --last and --ascii are for --chart", of: arguments.command)
        }
        return .queues
    }
}
