package import SluiceModel
import SluicePlatform

/// A new file of JSON lines, for its owner alone; it gets its name when it is whole.
package final class LinesSink: TransferSink {
    /// `lines`.
    package let format = TransferFormat.lines
    private let path: String
    private let folder: UnfinishedFolder
    private let file: FileDescriptor
    private var waiting: [UInt8] = []

    private static let part = "lines"
    private static let bufferBytes = 1 << 16

    /// A file that will stand at `path`; throws `notLegal` where something stands there.
    package init(path: String) throws(QueueError) {
        try NewPlace.check(path)
        self.path = path
        folder = try NewPlace.folder(for: path)
        do throws(SystemError) {
            file = try Files.create("\(folder.path)/\(Self.part)")
        } catch {
            folder.remove()
            throw NewPlace.refused(error, path)
        }
    }

    /// Adds the item's line.
    package func add(_ item: TransferItem) throws {
        waiting += TransferLine.text(item).utf8
        waiting.append(UInt8(ascii: "\n"))
        if waiting.count >= Self.bufferBytes { try flush() }
    }

    private func flush() throws(QueueError) {
        do throws(SystemError) {
            try file.writeAll(waiting)
        } catch {
            throw NewPlace.refused(error, path)
        }
        waiting.removeAll(keepingCapacity: true)
    }

    /// Brings the file to the disk and gives it its name.
    package func finish() throws {
        try flush()
        do throws(SystemError) {
            try file.sync()
        } catch {
            throw NewPlace.refused(error, path)
        }
        try NewPlace.take(Self.part, of: folder, as: path)
    }

    /// Removes what was written.
    package func cancel() { folder.remove() }
}

/// Lines on standard output, one after the other.
package final class OutputSink: TransferSink {
    /// `lines`.
    package let format = TransferFormat.lines
    private let write: (String) throws -> Void

    /// Writes each line by `write`.
    package init(_ write: @escaping (String) throws -> Void) { self.write = write }

    /// Writes the item's line.
    package func add(_ item: TransferItem) throws { try write(TransferLine.text(item) + "\n") }

    /// Nothing is left to do.
    package func finish() {}

    /// What was written stays.
    package func cancel() {}
}
