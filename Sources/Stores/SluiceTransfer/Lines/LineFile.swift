import SluiceModel
import SluiceSystem

/// Opens files of lines. Copies input that can be read only once.
enum LineFile {
    /// A line of a copy holds at most this much.
    static let lineLimitBytes = 1 << 28
    private static let spareBytes = 16 << 20

    /// The maximum line length for a payload limit. In memory a decoded line takes many times its
    /// length.
    static func limit(forPayloads bytes: Int) -> Int {
        min(lineLimitBytes, spareBytes + min(bytes, lineLimitBytes) * 4)
    }

    static let chunkBytes = 1 << 16

    static let otherName = "name a file, or - for standard input"

    /// Opens a file; of a pipe without a name it is a copy. Throws `badValue` for anything else.
    static func readable(_ path: String) throws(QueueError) -> FileDescriptor {
        do throws(SystemError) {
            let file = try Files.openContent(path)
            guard try file.status().kind == .fifo else { return file }
            return try copy { () throws(SystemError) in try file.read(atMost: chunkBytes) }
        } catch {
            let isPipe = error.reason == .namedPipe
            throw refused(
                error,
                isPipe
                    ? "sluice import - < \(ShellWord.quoted(path)) reads it to its end" : otherName)
        }
    }

    /// A copy without a name. A line without end is refused, so that a device does not fill a disk.
    static func copy(
        lineLimitBytes: Int = lineLimitBytes,
        _ read: () throws(SystemError) -> FileDescriptor.ReadResult
    ) throws(SystemError) -> FileDescriptor {
        let file = try Files.makeUnnamed()
        var lineBytes = 0
        while case .bytes(let bytes) = try read() {
            let end = bytes.lastIndex(of: UInt8(ascii: "\n"))
            lineBytes = end.map { bytes.count - $0 - 1 } ?? lineBytes + bytes.count
            guard lineBytes <= lineLimitBytes else {
                throw SystemError(
                    .read, path: "a line", reason: .largerThan(bytes: lineLimitBytes))
            }
            try file.writeAll(bytes)
        }
        return file
    }

    /// The next line; throws if it is too long.
    static func next(
        _ lines: inout LineReader, _ number: Int
    ) throws(QueueError) -> [UInt8]? {
        let line: [UInt8]?
        do throws(SystemError) {
            line = try lines.next()
        } catch {
            throw QueueError(
                .badValue, "line \(number): \(error.sentence)",
                fix: "a line is one JSON object of at most \(SizeText.compact(lines.limitBytes))")
        }
        guard number == 1, let line else { return line }
        return try ByteOrderMark.removed(from: line)
    }

    /// Converts a system error to an error of the command.
    static func refused(_ error: SystemError, _ fix: String) -> QueueError {
        if case .largerThan = error.reason {
            return QueueError(
                .badValue, error.sentence, fix: "a line is one JSON object, and ends with a newline"
            )
        }
        return QueueError(.badValue, error.sentence, fix: fix)
    }
}
