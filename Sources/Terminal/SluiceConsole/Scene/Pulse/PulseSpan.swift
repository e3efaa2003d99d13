/// How far back view 7 looks.
package enum PulseSpan: Int, Hashable, Sendable, CaseIterable {
    case quarter, hour, day

    package var partMilliseconds: Int64 {
        switch self {
        case .quarter: 10_000
        case .hour: 60_000
        case .day: 900_000
        }
    }

    package var parts: Int {
        switch self {
        case .quarter: 90
        case .hour: 60
        case .day: 96
        }
    }

    /// `hour`, as in "the last hour".
    var words: String {
        switch self {
        case .quarter: "15 minutes"
        case .hour: "hour"
        case .day: "24 hours"
        }
    }

    var partWords: String {
        switch self {
        case .quarter: "10 seconds"
        case .hour: "a minute"
        case .day: "15 minutes"
        }
    }
}
