import SluiceControl
import SluiceModel
import SluiceStore

/// The attached runners, and how the queues fare.
extension CommandContext {
    func runners() throws -> Reply {
        let signs = VitalSigns(of: try store())
        let (runners, names, now, isPast) = try read { reading in
            let forced = try reading.store.storeRecord().forcedNetwork
            let attached = try reading.store.processes().filter { $0.role == .runner }
            let found = try attached.map { process in
                RunnerLine(
                    process: process, vitality: signs.vitality(of: process),
                    running: try reading.store.tasksRun(by: process.id).map(\.id),
                    cause: process.offlineCause(at: reading.now), forced: forced)
            }
            let names = try reading.names(of: found.flatMap(\.running))
            return (found, names, reading.now, reading.isPast)
        }
        let json: JSONValue = ["runners": .array(runners.map(\.json))]
        guard !runners.isEmpty else {
            let way = isPast ? "" : ": sluice work --handlers FILE starts one"
            return Reply(json, ["no worker is attached\(way)"])
        }
        return Reply(json, RunnerLine.lines(runners, names: names, now: now, width: host.columns()))
    }

    func stats() throws -> Reply {
        let stats = try read { reading in
            try reading.store.queues().map { try QueueStats($0, reading: reading) }
        }
        let json: JSONValue = [
            "windowSeconds": .integer(QueueStats.windowMilliseconds / 1000),
            "queues": .array(stats.map(\.json)),
        ]
        return Reply(json, QueueStats.lines(stats, width: host.columns()))
    }
}

/// A runner as `runners` shows it.
struct RunnerLine: Hashable, Sendable {
    let process: ProcessRecord
    /// Whether the process is alive, as far as known on this machine (A2).
    let vitality: Vitality
    /// The tasks that it runs.
    let running: [TaskID]
    /// Why it measured that it has no network; nil if it has one.
    let cause: OfflineCause?
    /// The network as a person forced it.
    let forced: Bool?

    private var network: String {
        forced.map { ($0 ? "on" : "off") + " (forced)" } ?? (cause == nil ? "on" : "off")
    }

    private var networkWords: String {
        guard forced == nil, let cause else { return network }
        return "off (\(cause.briefly))"
    }

    /// `nil` if its lock cannot be opened. A process on another machine counts as alive until its
    /// death is known.
    private var isAlive: Bool? {
        switch vitality {
        case .alive, .unknown(.elsewhere): true
        case .dead: false
        case .unknown(.closedLock): nil
        }
    }

    /// An element of `runners`; `types` is null for every type.
    var json: JSONValue {
        [
            "id": .integer(process.id),
            "host": .string(process.host),
            "pid": .integer(process.pid),
            "alive": isAlive.map(JSONValue.bool) ?? .null,
            "slots": JSONValue(process.slots),
            "running": .array(running.map(JSONValue.integer)),
            "types": process.handledNames.map { JSONValue($0) } ?? .null,
            "network": .string(network),
            "networkCause": cause.map { .string($0.rawValue) } ?? .null,
        ]
    }

    /// The runners as a table.
    static func lines(
        _ runners: [RunnerLine], names: TaskNames, now: Timestamp, width: Int?
    ) -> [String] {
        TextTable<RunnerLine>([
            .numbers("ID") { "\($0.process.id)" },
            .words("HOST", limit: 40) { $0.process.host },
            .numbers("PID") { "\($0.process.pid)" },
            .words("ALIVE") { $0.isAlive.map { $0 ? "yes" : "no" } ?? "unknown" },
            .numbers("SLOTS") { "\($0.process.slots)" },
            .words("RUNNING") { runner in
                let tasks = runner.running.prefix(8).map(names.name)
                return tasks.isEmpty ? "-" : tasks.joined(separator: " ")
            },
            .words("NETWORK") { $0.networkWords },
            .words("QUEUES") { $0.process.queues?.joined(separator: ",") ?? "every queue" },
            .words("TYPES") { $0.process.handledNames?.joined(separator: ",") ?? "every type" },
            .numbers("SINCE") { ClockText.age($0.process.attachedAt, now: now) },
        ]).lines(runners, width)
    }
}
