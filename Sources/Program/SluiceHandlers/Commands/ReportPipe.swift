import SluiceC
import SluiceSystem

/// The pipe through which a command reports; the child inherits `write`.
struct ReportPipe {
    /// Our end, which does not block.
    let read: FileDescriptor
    /// The child's end. Close it here after the child has started.
    let write: FileDescriptor

    init() throws(CommandStart.Failure) {
        var ends: [Int32] = [-1, -1]
        guard csys_pipe2(&ends, 0) == 0 else {
            // Both reasons that there are: the process's limit, or the machine's.
            throw CommandStart.Failure(
                sentence: "cannot make a pipe: too many files are open", isShortage: true)
        }
        read = FileDescriptor(owning: ends[0])
        write = FileDescriptor(owning: ends[1])
        do throws(SystemError) {
            try read.setNonBlocking(true)
        } catch {
            throw CommandStart.Failure(error)
        }
    }
}
