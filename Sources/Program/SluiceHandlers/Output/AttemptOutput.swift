import SluiceRunner
import SluiceStore
import SluiceSystem

/// Keeps the end of a running child's output in the run folder: both streams, in the order of the
/// reads. On one thread at a time.
///
/// The first byte makes the file, and the end of the attempt removes it. Output that cannot be kept
/// never ends the attempt: the attempt's log says once that it is not shown.
final class AttemptOutput {
    private let runFolder: String?
    private let part: String
    private var file: FileDescriptor?
    private var size = 0
    /// Whether files of this attempt may exist.
    private var hasFiles = false
    private var isBroken = false
    /// The note for readers that the output is not kept.
    private var note: String?

    /// For an execution. Does nothing for a store without a run folder.
    init(of execution: Execution) {
        let lock = execution.childLockPath
        runFolder = lock.map(Files.parent(of:))
        part = lock.map { OutputFolder.part(ofLock: Files.lastName(of: $0)) } ?? ""
    }

    /// Keeps bytes. Returns the line for the attempt's log if this is the first failure.
    func append(_ bytes: [UInt8]) -> String? {
        guard let runFolder, !isBroken, !bytes.isEmpty else { return nil }
        do throws(SystemError) {
            try write(Array(bytes.suffix(OutputFolder.partBytes)), in: runFolder)
            return nil
        } catch {
            isBroken = true
            // An old end would pass for the newest.
            remove()
            note = try? OutputFolder(in: runFolder)?.noteLoss(of: part, error)
            return "its output is not shown while it runs: \(error.sentence)"
        }
    }

    /// Removes the files: the attempt has ended, or its output cannot be kept.
    func remove() {
        file = nil
        guard hasFiles || note != nil, let runFolder else { return }
        hasFiles = false
        if let note { try? OutputFolder(in: runFolder)?.remove(all: [note]) }
        note = nil
        // The search for dead workers removes a file that stays.
        _ = try? OutputFolder(in: runFolder)?.remove(part)
    }

    private func write(_ bytes: [UInt8], in runFolder: String) throws(SystemError) {
        if file != nil, size + bytes.count > OutputFolder.partBytes {
            file = nil
            try OutputFolder.made(in: runFolder).setAside(part)
        }
        if file == nil {
            hasFiles = true
            file = try OutputFolder.made(in: runFolder).create(part)
            size = 0
        }
        try file?.writeAll(bytes)
        size += bytes.count
    }
}
