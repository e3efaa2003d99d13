package import SluiceModel
import SluiceStore

/// A new file in the format HTTP Archive 1.2: the requests that `http` handlers made, task by task.
package final class HARSink: TransferSink {
    /// `har`.
    package let format = TransferFormat.har
    /// The number of requests in it.
    package private(set) var count = 0
    private let file: NewFile
    private let paths: [PayloadPath]
    private var applied: [Int]

    /// A file at `path`, without the values at some places of payloads; throws `notLegal` for a
    /// path that is taken. `version` is the program's.
    package init(
        path: String, version: String, redacting paths: [PayloadPath] = []
    ) throws(QueueError) {
        file = try NewFile(path: path)
        self.paths = paths
        applied = paths.map { _ in 0 }
        let creator: JSONValue = ["name": "Sluice", "version": .string(version)]
        try file.write(#"{"log":{"version":"1.2","creator":"# + creator.text + #","entries":["#)
    }

    /// The paths, with how often each applied.
    package var redacted: [(path: String, count: Int)] {
        zip(paths, applied).map { ("payload.\($0.name)", $1) }
    }

    /// Adds the requests of a task's attempts.
    package func add(_ item: TransferItem) throws {
        guard case .task(let task) = item else { return }
        var redactions = Redactions(paths)
        redactions.learn(task.task.payload)
        let origin = task.task.origin
        let reference = TaskOrigin.isUUID(origin) ? origin : nil
        for attempt in task.task.attempts {
            for (place, exchange) in attempt.exchanges.enumerated() {
                let entry = HAREntry(
                    exchange: redactions.clean(exchange), attempt: attempt, number: place + 1,
                    reference: reference)
                try file.write((count == 0 ? "\n" : ",\n") + entry.json.text)
                count += 1
            }
        }
        for (place, path) in redactions.counts.enumerated() { applied[place] += path.count }
    }

    /// Brings the file to the disk and gives it its name.
    package func finish() throws {
        try file.write("\n]}}\n")
        try file.finish()
    }

    /// Removes the file.
    package func cancel() { file.cancel() }
}
