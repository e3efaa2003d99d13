package import SluiceControl
package import SluiceModel
import SluiceStore
import SluiceSystem

/// A file of JSON lines, read line by line, so that its size does not matter. It reads up to the
/// length at opening, and fails at the end if the file has changed.
package struct LinesSource: TransferSource {
    /// The file's name as given.
    package let name: String
    /// `lines`.
    package let format = TransferFormat.lines
    private let file: FileDescriptor
    /// The file's status at opening.
    private let status: FileStatus
    private let filter: TaskFilter?
    private let now: Timestamp
    /// How long a line may be, before a queue among the lines allows more.
    private var lineLimitBytes = LineFile.limit(forPayloads: QueueSettings().maximumPayloadBytes)

    private static let sampleBytes = 1 << 16

    /// Opens the file at `path`; throws `badValue` if it cannot be read or is not a file. First
    /// copies a shell's process substitution pipe or standard input.
    ///
    /// `filter` can use fields of a line: the state, type, queue, groups and number. Throws
    /// `badFilter` for conditions that depend on the queue (`next`, `held`, `blocked`).
    package init(
        path: String, filter: TaskFilter? = nil, now: Timestamp
    ) throws(QueueError) {
        try filter?.refuseQueueStates()
        let file = try LineFile.readable(path)
        do throws(SystemError) {
            try self.init(file, name: path, filter, now: now)
        } catch {
            throw LineFile.refused(error, LineFile.otherName)
        }
    }

    /// Reads the lines of an open file from its beginning.
    init(
        _ file: FileDescriptor, name: String, _ filter: TaskFilter?, now: Timestamp
    ) throws(SystemError) {
        (self.file, self.name) = (file, name)
        (self.filter, self.now) = (filter, now)
        status = try file.status()
    }

    /// The lines of standard input, which are first copied into a file without a name: they are
    /// read twice.
    package static func standardInput(
        filter: TaskFilter? = nil, now: Timestamp
    ) throws(QueueError) -> LinesSource {
        try filter?.refuseQueueStates()
        do throws(SystemError) {
            let file = try LineFile.copy { () throws(SystemError) in
                try Standard.read(atMost: LineFile.chunkBytes)
            }
            return try LinesSource(file, name: "-", filter, now: now)
        } catch {
            throw LineFile.refused(error, "give the lines as a file, or make room in TMPDIR")
        }
    }

    /// The same with lines for payloads of that size.
    package func allowing(payloadBytes: Int) -> any TransferSource {
        var source = self
        source.lineLimitBytes = max(lineLimitBytes, LineFile.limit(forPayloads: payloadBytes))
        return source
    }

    /// A file is no store.
    package func identity() -> String? { nil }

    /// The size divided by the mean length of the first lines.
    package func estimate() throws -> Int {
        try file.seek(toByte: 0)
        guard case .bytes(let sample) = try file.read(atMost: Self.sampleBytes) else { return 0 }
        let lines = max(1, sample.count { $0 == UInt8(ascii: "\n") })
        return Int(status.sizeBytes) * lines / max(1, sample.count)
    }

    /// Passes the item of each line to `take`. Throws the number of the first invalid line, or an
    /// error if the file has changed.
    package func read(_ take: @escaping (TransferItem) throws -> BulkNext) throws {
        try file.seek(toByte: 0)
        var lines = LineReader(
            file.number, limitBytes: lineLimitBytes, endByte: status.sizeBytes)
        var number = 0
        while let item = try next(&lines, &number) {
            if case .queue(let queue) = item {
                let limit = LineFile.limit(forPayloads: queue.settings.maximumPayloadBytes)
                lines.limitBytes = max(lines.limitBytes, limit)
            }
            if try isWanted(item), try take(item) == .stop { return }
        }
        try checkUnchanged()
    }

    /// The item of the next line that is not blank; counts lines.
    private func next(
        _ lines: inout LineReader, _ number: inout Int
    ) throws(QueueError) -> TransferItem? {
        do throws(QueueError) {
            while let line = try LineFile.next(&lines, number + 1) {
                number += 1
                if TaskLines.isBlank(line) { continue }
                do throws(QueueError) {
                    return try TransferLine.item(line, number: number, now: now)
                } catch {
                    throw error.ofLine(number, then: "then import it again")
                }
            }
            return nil
        } catch {
            // The last line was incomplete when the file was opened.
            try checkUnchanged()
            throw error
        }
    }

    private func checkUnchanged() throws(QueueError) {
        let now: FileStatus
        do throws(SystemError) {
            now = try file.status()
        } catch {
            throw QueueError(.badValue, error.sentence, fix: "look at \(name)")
        }
        guard now.sizeBytes == status.sizeBytes,
            now.modifiedNanoseconds == status.modifiedNanoseconds
        else {
            throw QueueError(
                .badValue, "\(name) changed while it was read",
                fix: "import it when nothing writes into it any more")
        }
    }

    private func isWanted(_ item: TransferItem) throws -> Bool {
        guard case .task(let item) = item, let filter else { return true }
        let task = item.task.task
        return try filter.matches(
            task,
            KnownFacts(
                now: now, display: task.displayAlone, payload: item.task.payload,
                lastAttempt: item.task.attempts.last, uuid: item.task.origin))
    }
}

extension QueueTask {
    /// The display of the task without its queue.
    fileprivate var displayAlone: Display {
        switch state {
        case .waiting(let waiting):
            if let parking = waiting.parking { return parking.display }
            if waiting.skip != nil { return .skipped }
            return waiting.timer.map { $0.cause == .retry ? .retrying : .delayed } ?? .due
        case .running: return .running
        case .succeeded: return .succeeded
        case .failed: return .failed
        case .deleted: return .deleted
        }
    }
}

extension TaskFilter {
    /// Throws if a word needs the order of a queue.
    fileprivate func refuseQueueStates() throws(QueueError) {
        let queueStates: Set<State> = [.next, .held, .blocked, .stuck]
        for case .state(let states) in expression.terms {
            if let state = states.first(where: queueStates.contains) {
                throw QueueError(
                    .badFilter, "no line says whether its task is \(state.rawValue)",
                    fix: "import the file into a new store and filter there")
            }
        }
    }
}
