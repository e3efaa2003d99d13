import SluiceModel

/// How far a transfer is, how fast it goes and how long it will take, as its progress says it (A7).
struct TransferMeter {
    struct Progress: Hashable, Sendable {
        var fraction: Double?
        var text: String
    }

    private static let reportNanoseconds: UInt64 = 250_000_000
    /// The time constant of the rate, in seconds.
    private static let memorySeconds = 5.0

    /// The total number of bytes; `nil` if unknown.
    var totalBytes: Int64?
    private var bytes: Int64
    private var seenNanoseconds: UInt64
    private var seenBytes: Int64
    private var bytesPerSecond: Double?

    /// A transfer that has reached `bytes`.
    init(bytes: Int64 = 0, totalBytes: Int64?, nanoseconds: UInt64) {
        self.bytes = bytes
        self.totalBytes = totalBytes
        seenBytes = bytes
        seenNanoseconds = nanoseconds
    }

    /// Records the position. Returns a progress report, at most four times a second.
    mutating func reach(_ bytes: Int64, nanoseconds: UInt64) -> Progress? {
        self.bytes = bytes
        let passed = nanoseconds &- seenNanoseconds
        guard passed >= Self.reportNanoseconds else { return nil }
        let seconds = Double(passed) / 1e9
        let now = Double(max(0, bytes - seenBytes)) / seconds
        let weight = seconds / (seconds + Self.memorySeconds)
        bytesPerSecond = bytesPerSecond.map { $0 + (now - $0) * weight } ?? now
        seenBytes = bytes
        seenNanoseconds = nanoseconds
        return progress
    }

    /// The current progress report.
    var progress: Progress {
        var words = SizeText.short(bytes)
        if let totalBytes { words += " of \(SizeText.short(totalBytes))" }
        if let rate = bytesPerSecond, rate >= 1 {
            words += ", \(SizeText.short(Int64(rate)))/s"
            if let totalBytes, totalBytes > bytes {
                let seconds = (Double(totalBytes - bytes) / rate).rounded(.up)
                words += ", \(DurationText.seconds(Int64(min(seconds, 1e9)))) left"
            }
        }
        let fraction = totalBytes.map { $0 > 0 ? Double(bytes) / Double($0) : 1 }
        return Progress(fraction: fraction, text: words)
    }
}
