import SluiceModel

/// How far back view 9 looks.
package enum FlowSpan: Int, Hashable, Sendable, CaseIterable {
    case twoMinutes, hour, day

    var partMilliseconds: Int64 {
        switch self {
        case .twoMinutes: 1000
        case .hour: 60_000
        case .day: 900_000
        }
    }

    var parts: Int {
        switch self {
        case .twoMinutes: 120
        case .hour: 60
        case .day: 96
        }
    }

    /// `2 minutes by second`.
    var words: String {
        switch self {
        case .twoMinutes: "2 minutes by second"
        case .hour: "hour by minute"
        case .day: "24 hours by 15 minutes"
        }
    }
}

/// The arrivals and ends in equal parts of time, the oldest first; nil if that is not known.
struct FlowSeries: Hashable, Sendable {
    var came: [Double?] = []
    var succeeded: [Double?] = []
    var failed: [Double?] = []

    mutating func append(came: Double?, succeeded: Double?, failed: Double?) {
        self.came.append(came)
        self.succeeded.append(succeeded)
        self.failed.append(failed)
    }

    /// The greatest value.
    var most: Double { (came + succeeded + failed).compactMap(\.self).max() ?? 0 }
}
