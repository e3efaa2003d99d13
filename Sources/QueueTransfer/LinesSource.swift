import Platform
public import QueueControl
public import QueueModel
import QueueStore

/// A file of JSON lines, read line by line, so that its size does not matter.
public struct LinesSource: TransferSource {
    /// The file's name as it was given.
    public let name: String
    /// `lines`.
    public let format = TransferFormat.lines
    private let file: FileDescriptor
    private let sizeBytes: Int64
    private let filter: TaskFilter?
    private let now: Timestamp

    /// A line holds at most this much.
    public static let lineLimitBytes = 1 << 28
    private static let sampleBytes = 1 << 16

    /// Opens the file at `path`; throws `badValue` where it cannot be read.
    ///
    /// `filter` may ask for what a line says: its state, type, queue, groups and number. What only
    /// a queue says (`next`, `heldByGroup`, `blocked`) is refused with `badFilter`.
    public init(
        path: String, filter: TaskFilter? = nil, now: Timestamp
    ) throws(QueueError) {
        do throws(SystemError) {
            var file = try FileDescriptor(opening: path, flags: 0)
            if try file.status().kind != .file {
                file = try Self.copy { () throws(SystemError) in
                    try file.read(atMost: Self.copyBytes)
                }
            }
            try self.init(file, name: path, filter, now: now)
        } catch {
            throw QueueError(
                .badValue, error.sentence, fix: "name a file, or - for standard input")
        }
        try filter?.refuseQueueStates()
    }

    /// The lines that stand in an open file, from its beginning.
    init(
        _ file: FileDescriptor, name: String, _ filter: TaskFilter?, now: Timestamp
    ) throws(SystemError) {
        (self.file, self.name) = (file, name)
        (self.filter, self.now) = (filter, now)
        sizeBytes = try file.status().sizeBytes
    }

    /// The lines of standard input, which are first copied into a file without a name: they are
    /// read twice.
    public static func standardInput(
        filter: TaskFilter? = nil, now: Timestamp
    ) throws(QueueError) -> LinesSource {
        try filter?.refuseQueueStates()
        do throws(SystemError) {
            let file = try copy { () throws(SystemError) in try Standard.read(atMost: copyBytes) }
            return try LinesSource(file, name: "-", filter, now: now)
        } catch {
            throw QueueError(
                .badValue, error.sentence, fix: "give the lines as a file, or make room in TMPDIR")
        }
    }

    private static let copyBytes = 1 << 16

    /// What cannot be read twice, as a file without a name.
    private static func copy(
        _ read: () throws(SystemError) -> FileDescriptor.ReadResult
    ) throws(SystemError) -> FileDescriptor {
        let file = try Files.makeUnnamed()
        while case .bytes(let bytes) = try read() { try file.writeAll(bytes) }
        return file
    }

    /// A file is no store.
    public func identity() -> String? { nil }

    /// The size divided by the mean length of the first lines.
    public func estimate() throws -> Int {
        try file.seek(toByte: 0)
        guard case .bytes(let sample) = try file.read(atMost: Self.sampleBytes) else { return 0 }
        let lines = max(1, sample.count { $0 == UInt8(ascii: "\n") })
        return Int(sizeBytes) * lines / max(1, sample.count)
    }

    /// Gives the item of each line; throws with the number of the first bad one.
    public func read(_ take: @escaping (TransferItem) throws -> BulkNext) throws {
        try file.seek(toByte: 0)
        var lines = LineReader(file.number, limitBytes: Self.lineLimitBytes)
        var number = 0
        while let line = try next(&lines, number + 1) {
            number += 1
            if TaskLines.isBlank(line) { continue }
            let item: TransferItem
            do throws(QueueError) {
                item = try TransferLine.item(line, number: number, now: now)
            } catch {
                throw error.ofLine(number, then: "then import it again")
            }
            guard isWanted(item) else { continue }
            if try take(item) == .stop { return }
        }
    }

    private func next(
        _ lines: inout LineReader, _ number: Int
    ) throws(QueueError) -> [UInt8]? {
        do throws(SystemError) {
            return try lines.next()
        } catch {
            throw QueueError(
                .badValue, "line \(number): \(error.sentence)",
                fix: "a line is one JSON object of at most \(SizeText.compact(Self.lineLimitBytes))"
            )
        }
    }

    private func isWanted(_ item: TransferItem) -> Bool {
        guard case .task(let item) = item, let filter else { return true }
        let task = item.task.task
        return filter.matches(task, display: task.displayAlone)
    }
}

extension QueueTask {
    /// What the task shows by itself, where nothing is known of its queue.
    fileprivate var displayAlone: Display {
        switch state {
        case .waiting(let waiting):
            if waiting.parking != nil { return .parked }
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
    /// Throws where a word asks what only a queue can answer.
    fileprivate func refuseQueueStates() throws(QueueError) {
        let queueStates: Set<State> = [.next, .heldByGroup, .blocked, .stuck]
        for word in words {
            guard case .state(let states) = word.term else { continue }
            if let state = states.first(where: queueStates.contains) {
                throw QueueError(
                    .badFilter, "no line says whether its task is \(state.rawValue)",
                    fix: "import the file into a store of its own and filter there")
            }
        }
    }
}
