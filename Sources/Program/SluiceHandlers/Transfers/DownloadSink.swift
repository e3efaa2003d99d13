import SluiceSystem

/// Takes the answer to a download: a whole content or the rest of one into the temporary file, the
/// beginning of anything else into memory.
final class DownloadSink: HTTPSink {
    /// The kind of the answer's body.
    enum Kind: Hashable {
        case nothing
        /// The content, from its first byte or from where the file ended.
        case content
        /// A part that does not match the existing file.
        case misfit
        /// No content.
        case words
    }

    private(set) var kind = Kind.nothing
    /// The bytes that this answer brought.
    private(set) var gainedBytes: Int64 = 0
    /// The error of a failed write.
    private(set) var fault: SystemError?
    /// The server's message if it sent no content.
    var words: [UInt8] { collector.bytes }

    private let url: String
    private let part: PartFile
    private let onProgress: (PartFile) -> Void
    private let onRestart: (_ lostBytes: Int64) -> Void
    private let collector = CollectingSink()

    init(
        _ part: PartFile, url: String, onProgress: @escaping (PartFile) -> Void,
        onRestart: @escaping (_ lostBytes: Int64) -> Void
    ) {
        self.part = part
        self.url = url
        self.onProgress = onProgress
        self.onRestart = onRestart
    }

    func begin(_ head: HTTPHead) -> HTTPAppetite {
        switch head.status {
        case 206:
            let range = head.range
            let fits =
                range?.first == part.bytes && part.bytes > 0
                && (range?.total == nil || part.state?.totalBytes == nil
                    || range?.total == part.state?.totalBytes)
            kind = fits ? .content : .misfit
            return fits ? .more : .enough
        case 200..<300:
            kind = .content
            if part.bytes > 0 { onRestart(part.bytes) }
            return attempt { () throws(SystemError) in
                try part.restart(
                    url: url, validator: head.validator, totalBytes: head.length)
            }
        default:
            kind = .words
            return collector.begin(head)
        }
    }

    func write(_ bytes: UnsafeRawBufferPointer) -> HTTPAppetite {
        guard kind == .content else { return collector.write(bytes) }
        let appetite = attempt { () throws(SystemError) in try part.append(bytes) }
        gainedBytes += Int64(bytes.count)
        onProgress(part)
        return appetite
    }

    private func attempt(_ body: () throws(SystemError) -> Void) -> HTTPAppetite {
        do throws(SystemError) {
            try body()
            return .more
        } catch {
            fault = error
            return .abort
        }
    }
}
