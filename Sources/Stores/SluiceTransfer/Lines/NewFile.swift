import SluiceModel
import SluiceSystem

/// A new file for its owner alone; it gets its name when it is whole.
final class NewFile {
    private let path: String
    private let folder: UnfinishedFolder
    private let file: FileDescriptor
    private var waiting: [UInt8] = []

    private static let part = "lines"
    private static let bufferBytes = 1 << 16

    /// A file that will be at `path`; throws `notLegal` for a path that is taken.
    init(path: String) throws(QueueError) {
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

    func write(_ text: String) throws(QueueError) {
        waiting += text.utf8
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
    func finish() throws {
        try flush()
        do throws(SystemError) {
            try file.sync()
        } catch {
            throw NewPlace.refused(error, path)
        }
        try NewPlace.take(Self.part, of: folder, as: path)
    }

    /// Removes the unfinished file.
    func cancel() { folder.remove() }
}
