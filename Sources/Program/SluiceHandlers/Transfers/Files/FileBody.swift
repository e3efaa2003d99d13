import SluiceModel
import SluiceSystem

/// A body read from a file while it is sent, with constant memory.
final class FileBody: HTTPBody {
    /// Why it was broken off.
    enum Fault: Error, Equatable {
        case system(SystemError)
        case shrank(toBytes: Int64)
        /// The file has changed: it has another length or time now.
        case changed(nowBytes: Int64)
    }

    let sizeBytes: Int64
    private(set) var sentBytes: Int64 = 0
    private(set) var fault: Fault?
    private let file: FileDescriptor
    private let modifiedNanoseconds: Int64
    private let onProgress: (Int64) -> Void

    /// The content of a file, with its present length.
    init(_ file: FileDescriptor, onProgress: @escaping (Int64) -> Void) throws(SystemError) {
        let status = try file.status()
        self.file = file
        self.onProgress = onProgress
        sizeBytes = status.sizeBytes
        modifiedNanoseconds = status.modifiedNanoseconds
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int? {
        do throws(Fault) {
            let count = try next(into: buffer)
            onProgress(sentBytes)
            return count
        } catch {
            fault = error
            return nil
        }
    }

    func rewind() -> Bool {
        sentBytes = 0
        return true
    }

    private func next(into buffer: UnsafeMutableRawBufferPointer) throws(Fault) -> Int {
        let wanted = Int(min(Int64(buffer.count), sizeBytes - sentBytes))
        guard wanted > 0 else { return 0 }
        let got: Int
        let status: FileStatus
        do throws(SystemError) {
            let piece = UnsafeMutableRawBufferPointer(rebasing: buffer[..<wanted])
            got = try file.read(into: piece, at: sentBytes)
            status = try file.status()
        } catch {
            throw .system(error)
        }
        guard got > 0 else { throw .shrank(toBytes: status.sizeBytes) }
        sentBytes += Int64(got)
        // The last bytes are held back from a server that would take a mixture for the whole.
        let isSame =
            status.sizeBytes == sizeBytes && status.modifiedNanoseconds == modifiedNanoseconds
        guard isSame else { throw .changed(nowBytes: status.sizeBytes) }
        return got
    }
}
