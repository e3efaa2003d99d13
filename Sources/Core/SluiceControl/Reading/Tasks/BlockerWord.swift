package import SluiceModel

extension Blocker.Kind {
    /// The reason in a word or two: `blocked: paused`.
    package var word: String {
        switch self {
        case .queuePaused: "paused"
        case .noRun: "no run is open"
        case .notBefore: "not due yet"
        case .skipped: "skipped"
        case .groupStart: "held"
        case .requirement: "no network"
        case .headOfQueue: "strict order"
        case .noSlot: "no place is free"
        case .rate: "the rate"
        case .noRunner: "no worker"
        case .attemptedInRun: "attempted in this run"
        case .parked: "parked"
        case .abandoned, .orphan: "an earlier attempt runs"
        }
    }
}
