import SluiceSystem

/// The temporary file of a download next to its destination, with its state.
///
/// Its name contains the task, so every attempt finds it, and a writer locks it. After any crash of
/// the writer, it contains only the first bytes of the content that its state describes.
final class PartFile {
    /// The reasons for no file, other than system errors.
    enum Fault: Error, Hashable {
        /// Another execution writes it.
        case held
        /// Its path is not a regular file.
        case notAFile
    }

    /// The number of bytes between syncs.
    private static let syncBytes: Int64 = 64 << 20

    /// How many bytes are there.
    private(set) var bytes: Int64
    /// The state of the content; `nil` if unknown.
    private(set) var state: PartState?
    let name: PartName
    private let folder: OpenFolder
    private let file: FileDescriptor
    private let bootID: String

    /// Opens or makes the file of a task, marked as the task's.
    init(in folder: OpenFolder, _ name: PartName, mark: FileMark) throws {
        self.folder = folder
        self.name = name
        file = try folder.appending(to: name.part)
        let status = try file.status()
        guard status.kind == .file else { throw Fault.notAFile }
        // Its former writer may have placed or removed it after we opened it.
        guard try file.tryLock(), try folder.status(name.part)?.inode == status.inode else {
            throw Fault.held
        }
        bytes = status.sizeBytes
        bootID = try ProcessIdentity.bootID()
        mark.put(on: file)
        state = try folder.reading(name.state).flatMap {
            PartState(try $0.readAll(limitBytes: PartName.stateLimitBytes))
        }
        guard let state, state.bootID != bootID, bytes > state.syncedBytes else { return }
        // The machine restarted: unsynced bytes may be missing or zero.
        try cut(at: state.syncedBytes)
    }

    /// The offset and the validator to resume a download; `nil` to start again.
    func resumption(of url: String) -> (offset: Int64, validator: String)? {
        guard bytes > 0, let state, state.url == url, let validator = state.validator else {
            return nil
        }
        return (bytes, validator)
    }

    func isComplete(of url: String) -> Bool {
        guard let state, state.url == url, state.validator != nil else { return false }
        return state.totalBytes == bytes && bytes > 0
    }

    /// Begins anew.
    func restart(url: String, validator: String?, totalBytes: Int64?) throws(SystemError) {
        // In this order, a crash in between leaves an empty file, which is valid.
        try cut(at: 0)
        let state = PartState(
            url: url, validator: validator, totalBytes: totalBytes, bootID: bootID)
        try folder.replace(name.state, state.json)
        self.state = state
    }

    /// Adds bytes at the end.
    func append(_ more: UnsafeRawBufferPointer) throws(SystemError) {
        try file.writeAll(more)
        bytes += Int64(more.count)
        guard var state, bytes - state.syncedBytes >= Self.syncBytes else { return }
        try file.syncContent()
        state.syncedBytes = bytes
        state.bootID = bootID
        try folder.replace(name.state, state.json)
        self.state = state
    }

    /// Brings all of it to the disk.
    func sync() throws(SystemError) { try file.sync() }

    /// Removes the state after the file has its final name.
    func forgetState() throws(SystemError) { try folder.remove(name.state) }

    /// Ends the use of the file: removes it if empty, otherwise unlocks it for the next attempt.
    func leave() {
        // It stays if it cannot be removed, and the next attempt finds it empty.
        if bytes == 0 { try? discard() }
        // Not only closed: a child that is just being started may have the descriptor as well.
        file.unlock()
    }

    /// Removes the file and its state.
    func discard() throws(SystemError) {
        try folder.remove(name.part)
        try folder.remove(name.state)
    }

    private func cut(at length: Int64) throws(SystemError) {
        try file.truncate(to: length)
        bytes = length
    }
}
