import SluiceModel

/// The beginning of a command's standard output, which is its result.
struct BoundedOutput {
    static let limitBytes = 1 << 20

    private(set) var bytes: [UInt8] = []
    private var droppedBytes = 0

    mutating func append(_ more: [UInt8]) {
        let kept = more.prefix(Self.limitBytes - bytes.count)
        bytes += kept
        droppedBytes += more.count - kept.count
    }

    /// The last lines, for the log of an attempt that has no result.
    var lastLines: [Substring] {
        var tail = ErrorTail()
        tail.append(bytes)
        return tail.lines
    }

    /// The line for the attempt's log if output was dropped.
    var remark: String? {
        guard droppedBytes > 0 else { return nil }
        let limit = SizeText.compact(Self.limitBytes)
        return "the result is cut at \(limit): \(droppedBytes) more bytes of standard output were "
            + "dropped"
    }
}
