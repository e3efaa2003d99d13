import SluiceControl
import SluiceModel
import SluiceRunner
import SluiceStore
import SluiceSystem

/// `doctor` and `compact`: a store's problems, repairs, and disk space.
extension CommandContext {
    func doctor(_ call: DoctorCall) throws -> Reply {
        do {
            return try examine(call)
        } catch let error as QueueError where call.repairs {
            throw error.afterRepair
        } catch let failed as Failed where call.repairs {
            throw Failed(failed.error.afterRepair, exit: failed.exit)
        }
    }

    private func examine(_ call: DoctorCall) throws -> Reply {
        _ = try store(onlyExamines: !call.repairs)
        let isFollowed = host.canAsk() && !common.isQuiet && !common.isJSON && !host.isScreen
        let line = isFollowed ? try ElapsedLine("the store is checked") : nil
        let examined = Result {
            try control().examine(repairs: call.repairs, isQuick: call.isQuick)
        }
        line?.end()
        let found = try examined.get()
        let json: JSONValue = [
            "problems": JSONValue(found.problems),
            "tasks": JSONValue(found.tasks),
            "damaged": .bool(found.isDamaged),
            "repaired": .bool(found.isRepaired),
            "done": JSONValue(found.done),
            "undo": .array(found.undo.map(JSONValue.integer)),
            "room": found.room.map(RoomText.json) ?? .null,
        ]
        var reply = Reply(json, lines(found, call))
        if !found.problems.isEmpty, !found.isRepaired { reply.exit = .refused }
        return reply
    }

    private func lines(_ found: Diagnosis, _ call: DoctorCall) -> [String] {
        var lines = (found.problems + found.done).map { SafeText.visible($0) }
        lines += found.undo.map { "undo: sluice undo \($0)" }
        if found.problems.isEmpty {
            let verb = found.tasks == 1 ? "was" : "were"
            let deed = call.isQuick && !call.repairs ? "counted" : "checked"
            lines.append("all is well: \(NumberText.tasks(found.tasks)) \(verb) \(deed)")
        } else if found.isRepaired {
            lines.append("mended")
        } else if found.isDamaged, !call.repairs {
            lines.append(
                "nothing is written into it now; sluice doctor --repair fixes it, and keeps the "
                    + "damaged file")
        } else if !call.repairs {
            lines.append(
                "sluice doctor --repair fixes what can be mended, and tries refused rows of the "
                    + "inbox again")
        }
        return lines + (found.room.map(RoomText.lines) ?? [])
    }

    func compact(evenIfLong: Bool) throws -> Reply {
        let store = try store()
        guard !store.isReadOnly else { throw QueueError.readOnlyStore(shownName) }
        guard let upkeep = store.upkeep else {
            throw QueueError.notLegal(
                "\(shownName) is not a file",
                fix: "a server frees its space with VACUUM")
        }
        let before = try upkeep.room()
        let after = try upkeep.compact(evenIfLong: evenIfLong)
        let json: JSONValue = [
            "bytesBefore": .integer(before.bytes), "bytes": .integer(after.bytes),
            "freeBefore": .integer(before.freeBytes), "free": .integer(after.freeBytes),
            "log": .integer(after.logBytes),
        ]
        let sizes = [before.bytes, after.bytes].map { SizeText.short($0) }
        var reply = Reply(
            json, ["\(shownName): \(sizes[0]) before, \(sizes[1]) now\(RoomText.log(after))"])
        reply.isConfirmation = true
        return reply
    }
}

/// The use of disk space, as text and as JSON.
private enum RoomText {
    static func json(_ room: StoreRoom) -> JSONValue {
        [
            "bytes": .integer(room.bytes), "free": .integer(room.freeBytes),
            "log": .integer(room.logBytes),
            "tables": .array(
                room.tables.map { ["name": .string($0.name), "bytes": .integer($0.bytes)] }),
        ]
    }

    /// The size of the log, if it is more than a program normally keeps.
    static func log(_ room: StoreRoom) -> String {
        guard room.logBytes >= 1 << 20 else { return "" }
        return ", and a log of \(SizeText.short(room.logBytes)) until its next checkpoint"
    }

    static func lines(_ room: StoreRoom) -> [String] {
        let parts = room.tables.prefix(6).map { "\($0.name) \(SizeText.short($0.bytes))" }
        let free = SizeText.short(room.freeBytes)
        let hint = room.freeBytes * 4 > room.bytes && room.freeBytes > 1 << 20
        return [
            "room: \(SizeText.short(room.bytes)), unused: \(free)"
                + (hint ? "; sluice compact frees it" : "") + log(room)
        ] + (parts.isEmpty ? [] : ["  " + parts.joined(separator: ", ")])
    }
}

/// A line on standard error that says how long something has been going on; ^C ends the program.
private final class ElapsedLine: Sendable {
    private let quit: EventSignal
    private let thread: Thread
    private static let timeoutMilliseconds = 1000

    init(_ what: String) throws {
        let quit = try EventSignal()
        self.quit = quit
        let began = SystemClock.monotonicMilliseconds()
        thread = try Thread(name: "sluice-patience") {
            let waits = [PollInterest(quit.descriptor.number)]
            var width = 0
            while !quit.drain() {
                // A failed wait returns early, and the line is only written again.
                _ = try? Poll.wait(fds: waits, timeoutMilliseconds: Self.timeoutMilliseconds)
                let seconds = (SystemClock.monotonicMilliseconds() - began) / 1000
                guard seconds > 0 else { continue }
                let text = "\(what): \(seconds) s; ^C stops it"
                width = text.count
                try? Standard.write("\r\(text)", to: .errors)
            }
            guard width > 0 else { return }
            let blanks = String(repeating: " ", count: width)
            try? Standard.write("\r\(blanks)\r", to: .errors)
        }
    }

    func end() {
        quit.signal()
        thread.join()
    }
}

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

/// `metrics`, and what `work --metrics` serves.
extension CommandContext {
    func metrics() throws -> Reply {
        let families = try read { reading in
            try reading.store.metricFamilies(at: reading.real, gone: reading.goneProcesses())
        }
        let lines = OpenMetrics.text(families).split(separator: "\n").map(String.init)
        return Reply(["families": .array(families.map(\.json))], lines)
    }

    /// Serves the metrics of the store and of a worker; `nil` if not requested.
    func serveMetrics(
        at address: HostPort?, of meter: TaskMeter, in opened: Protected<(any QueueStore)?>
    ) throws -> MetricsServer? {
        guard let address else { return nil }
        let now = host.now
        let server = try MetricsServer(at: address) {
            guard let store = opened.withLock({ $0 }) else {
                throw QueueError(.noStore, "the worker has not opened its store yet")
            }
            return try store.metricFamilies(at: now()) + meter.metrics.families
        }
        announce(server)
        return server
    }

    /// Serves the store's metrics without a worker, until SIGINT or SIGTERM.
    func exportMetrics(at address: HostPort) throws {
        try refuseWaitingOnTape(fix: "metrics without --listen has the figures of a tape")
        SignalInbox.ignorePipeSignal()
        let (store, now) = (try store(), host.now)
        let end = try EventSignal()
        let signals = try SignalWatch { _ in
            end.signal()
            return false
        }
        defer { signals.end() }
        let server = try MetricsServer(at: address) { try store.metricFamilies(at: now()) }
        defer { server.stop() }
        announce(server)
        _ = try Poll.wait(fds: [PollInterest(end.descriptor.number)], timeoutMilliseconds: nil)
    }

    private func announce(_ server: MetricsServer) {
        guard !common.isJSON, !common.isQuiet else { return }
        try? host.write("metrics: http://\(server.address)/metrics\n", .errors)
    }
}

extension MetricFamily {
    /// A family as `metrics --json` has it.
    fileprivate var json: JSONValue {
        [
            "name": .string(name), "kind": .string(kind.rawValue),
            "unit": unit.map { .string($0) } ?? .null, "help": .string(help),
            "series": .array(
                series.map { series in
                    var labels: JSONObject = [:]
                    for label in series.labels { labels[label.name] = .string(label.value) }
                    return ["labels": .object(labels), "value": series.value.json]
                }),
        ]
    }
}

extension MetricValue {
    fileprivate var json: JSONValue {
        switch self {
        case .number(let number): return JSONValue(number)
        case .histogram(let histogram):
            let bounds = MetricHistogram.bounds.map { JSONValue.integer($0) } + [.null]
            let buckets = zip(bounds, histogram.cumulative).map { bound, count in
                ["le": bound, "count": JSONValue(count)] as JSONValue
            }
            return [
                "count": JSONValue(histogram.count),
                "sumMilliseconds": .integer(histogram.sumMilliseconds),
                "buckets": .array(buckets),
            ]
        }
    }
}
