import SluiceModel
import SluiceStore

/// The formats between which tasks travel.
package enum TransferFormat: String, Hashable, Sendable, CaseIterable {
    /// JSON lines, one object for each task and queue.
    case lines
    /// A store in one SQLite file.
    case sqlite
    /// A folder in the format of the Customer.io SDK.
    case folder
    /// The requests of `http` handlers as an HTTP Archive.
    case har

    /// The format for the name of a new file; nil for an unknown extension.
    package init?(ofName name: String) {
        let endings: [(String, TransferFormat)] = [
            (".jsonl", .lines), (".ndjson", .lines), (".db", .sqlite), (".sqlite", .sqlite),
            (".sqlite3", .sqlite), ("/", .folder), (".har", .har),
        ]
        guard name != "-" else {
            self = .lines
            return
        }
        guard let found = endings.first(where: { name.hasSuffix($0.0) }) else { return nil }
        self = found.1
    }
}

/// A value that a format cannot store, and the number of affected tasks (P6).
package struct TransferLoss: Hashable, Sendable {
    /// The omitted value, such as `priority`.
    package var what: String
    package var tasks: Int
}

/// Counts omitted values.
struct LossTally {
    private var counts: [(what: String, tasks: Int)] = []

    var losses: [TransferLoss] { counts.map { TransferLoss(what: $0.what, tasks: $0.tasks) } }

    mutating func add(_ task: TransferTask, to format: TransferFormat) {
        for what in format.losses(of: task) {
            if let place = counts.firstIndex(where: { $0.what == what }) {
                counts[place].tasks += 1
            } else {
                counts.append((what, 1))
            }
        }
    }
}

extension TransferFormat {
    /// Whether a task has a place in the format.
    func holds(_ item: TransferTask) -> Bool {
        switch self {
        case .lines, .sqlite: true
        case .folder: item.task.task.waiting != nil || item.task.task.running != nil
        case .har: item.task.attempts.contains { !$0.exchanges.isEmpty }
        }
    }

    /// The values of a task that the format cannot store.
    func losses(of item: TransferTask) -> [String] {
        // An archive of requests does not stand for the tasks.
        guard self != .har else { return [] }
        let task = item.task.task
        guard holds(item) else { return ["\(task.state.name.rawValue) tasks"] }
        var losses: [String] = []
        if task.running != nil {
            losses.append(
                item.isLost ? "an attempt whose worker died" : "an attempt that runs")
        }
        if task.waiting?.lingering != nil { losses.append("an attempt that lingers") }
        if item.hasUnknownKeys { losses.append("keys that the SDK's format does not know") }
        guard self == .folder else { return losses }
        let fields: [(String, Bool)] = [
            ("fractions of a second", task.createdAt.milliseconds % 1000 != 0),
            ("priority", task.priority != 0), ("sort key", task.sortKey != nil),
            ("timer", task.waiting?.timer != nil), ("skip", task.waiting?.skip != nil),
            ("parking", task.waiting?.parking != nil), ("requirements", !task.requires.isEmpty),
            ("required", task.isRequired), ("attempt limit", task.attemptLimit != nil),
            ("expiry", task.expiresAt != nil), ("unique key", task.uniqueKey != nil),
            ("session", task.session != nil), ("client string", task.clientString != nil),
            ("parent", item.task.parentOrigin != nil), ("label", task.label != nil),
            ("headers", !task.headers.isEmpty),
            ("last error", task.lastError != nil), ("losses", task.losses > 0),
            ("attempt log", !item.task.attempts.isEmpty),
        ]
        return losses + fields.filter(\.1).map(\.0)
    }
}
