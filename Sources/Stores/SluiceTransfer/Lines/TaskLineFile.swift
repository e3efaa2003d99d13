package import SluiceModel
package import SluiceStore
import SluiceSystem

/// The lines of `enqueue --jsonl`, read on demand, so that the file's size does not matter. Input
/// that can be read only once first goes to an unnamed file.
package struct TaskLineFile: Sendable {
    private let file: FileDescriptor

    /// Opens a file; throws `badValue` if it cannot be read.
    package init(path: String) throws(QueueError) { file = try LineFile.readable(path) }

    private init(_ file: FileDescriptor) { self.file = file }

    /// Copies standard input to its end.
    package static func standardInput() throws(QueueError) -> TaskLineFile {
        do throws(SystemError) {
            return TaskLineFile(
                try LineFile.copy { () throws(SystemError) in
                    try Standard.read(atMost: LineFile.chunkBytes)
                })
        } catch {
            throw LineFile.refused(error, "give the lines as a file, or make room in TMPDIR")
        }
    }

    /// Lines that are there already.
    package init(bytes: [UInt8]) throws(QueueError) {
        do throws(SystemError) {
            file = try Files.makeUnnamed()
            try file.writeAll(bytes)
        } catch {
            throw LineFile.refused(error, "make room in TMPDIR")
        }
    }

    /// Reads from the beginning. No other reader may use the file at the same time. A line that
    /// names another queue than `queue` is refused; nil takes lines of any queue.
    package func batches(
        now: Timestamp, queue: String? = nil
    ) throws(QueueError) -> TaskLineBatches {
        do throws(SystemError) {
            try file.seek(toByte: 0)
        } catch {
            throw LineFile.refused(error, LineFile.otherName)
        }
        return TaskLineBatches(file, now: now, queue: queue)
    }
}

/// The requests of lines, some at a time.
package final class TaskLineBatches {
    /// The approximate maximum of payload bytes in a batch, and the maximum number of requests.
    private static let batchBytes = 4 << 20
    private static let batchCount = 512

    private let file: FileDescriptor
    private var lines: LineReader
    private var number = 0
    private let now: Timestamp
    private let queue: String?

    init(_ file: FileDescriptor, now: Timestamp, queue: String?) {
        (self.file, self.now, self.queue) = (file, now, queue)
        lines = LineReader(file.number, limitBytes: LineFile.lineLimitBytes)
    }

    /// The next requests; nil at the end. Empty lines are passed over. Throws with the number of
    /// the first bad line.
    package func next() throws(QueueError) -> [EnqueueRequest]? {
        var (requests, bytes): ([EnqueueRequest], Int) = ([], 0)
        while requests.count < Self.batchCount, bytes < Self.batchBytes,
            let line = try LineFile.next(&lines, number + 1)
        {
            number += 1
            guard
                let request = try TaskLines.request(
                    line, number: number, now: now, queue: queue)
            else { continue }
            bytes += request.payload.count
            requests.append(request)
        }
        return requests.isEmpty ? nil : requests
    }
}
