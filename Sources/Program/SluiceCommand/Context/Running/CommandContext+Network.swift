import SluiceControl
import SluiceModel
import SluiceStore

/// `network` without a word: what a person forced, and what each runner measured (B6).
extension CommandContext {
    func network() throws -> Reply {
        let (forced, queues, lines) = try read { reading in
            let runners = try reading.processes().filter { $0.role == .runner }
            let lines = runners.map { NetworkLine(process: $0, now: reading.now) }
            let queues = try reading.store.queues(.all).compactMap { queue in
                queue.record.settings.forcedNetwork.map { (name: queue.record.name, isOn: $0) }
            }
            return (try reading.store.storeRecord().forcedNetwork, queues, lines)
        }
        let word = { (isOn: Bool) in isOn ? "on" : "off" }
        var own = JSONObject()
        for queue in queues { own[queue.name] = .string(word(queue.isOn)) }
        let json: JSONValue = [
            "forced": forced.map { .string(word($0)) } ?? .null,
            "queues": .object(own),
            "runners": .array(lines.map(\.json)),
        ]
        let words = queues.map { queue in
            let command = ShellWord.command("network measured --queue", queue.name)
            return "\(SafeText.visible(queue.name)): forced \(word(queue.isOn)); "
                + "sluice \(command) ends that"
        }
        return Reply(
            json,
            [Self.heading(forced, lines)] + words
                + NetworkLine.table(lines, width: host.columns()))
    }

    private static func heading(_ forced: Bool?, _ lines: [NetworkLine]) -> String {
        if let forced {
            return "the network is forced \(forced ? "on" : "off") for every worker; "
                + "sluice network measured ends that"
        }
        return lines.isEmpty
            ? "the network is not forced, and no worker is attached that measures it"
            : "the network is not forced: each worker uses its own measurement"
    }
}

/// The network state of one runner, as `network` shows it.
struct NetworkLine: Hashable, Sendable {
    let process: ProcessRecord
    /// The time of the read.
    let now: Timestamp

    private var cause: OfflineCause? { process.offlineCause(at: now) }

    /// Nil without a measurement and without a handler's report.
    private var isOnline: Bool? { cause != nil ? false : process.network == nil ? nil : true }

    /// An element of `runners`.
    var json: JSONValue {
        let until = cause == .handler ? process.offlineUntil : nil
        return [
            "id": .integer(process.id),
            "host": .string(process.host),
            "pid": .integer(process.pid),
            "measured": isOnline.map { .string($0 ? "on" : "off") } ?? .null,
            "cause": cause.map { .string($0.rawValue) } ?? .null,
            "until": JSONValue(until),
        ]
    }

    /// The runners as a table; no lines without runners.
    static func table(_ lines: [NetworkLine], width: Int?) -> [String] {
        TextTable<NetworkLine>([
            .numbers("WORKER") { "\($0.process.id)" },
            .words("HOST", limit: 40) { $0.process.host },
            .numbers("PID") { "\($0.process.pid)" },
            .words("MEASURED") { line in
                let online = line.isOnline == nil ? "not measured" : "on"
                return line.cause.map { "off: \($0.words)" } ?? online
            },
        ]).lines(lines, width)
    }
}
