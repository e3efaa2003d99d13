import SluiceModel

/// How far a verb on many tasks is (D10, K7).
package struct BulkProgress: Hashable, Sendable {
    /// The tasks that it has gone through.
    package var done: Int
    /// How many there are; of an `undo` an estimate, until its last slice.
    package var total: Int
    /// The tasks of `done` that the verb failed to change.
    package var failed: Int

    /// A place on the way.
    package init(done: Int, total: Int, failed: Int = 0) {
        self.done = done
        self.total = total
        self.failed = failed
    }

    /// The part that is done, 0...1.
    package var fraction: Double { total > 0 ? min(1, Double(done) / Double(total)) : 1 }

    /// `42,000 of 100,000`, with the seconds left if known.
    package func sentence(secondsLeft: Int?) -> String {
        let place = "\(NumberText.grouped(done)) of \(NumberText.grouped(total))"
        guard let secondsLeft else { return place }
        return "\(place), about \(DurationText.seconds(Int64(secondsLeft))) left"
    }
}

/// Whether a bulk continues with its next slice.
package enum BulkNext: Hashable, Sendable {
    case goOn
    case stop
}

/// Asked before each slice of a bulk, on the thread that does it; must not take long.
package typealias BulkWatch = @Sendable (BulkProgress) -> BulkNext

/// Estimates the remaining time of a bulk from its speed so far.
package struct BulkEstimate: Hashable, Sendable {
    private let beganNanoseconds: UInt64

    /// A bulk that begins at that moment of the monotonic clock.
    package init(beganNanoseconds: UInt64) { self.beganNanoseconds = beganNanoseconds }

    /// How many seconds are left at the pace so far; nil before anything was done.
    package func secondsLeft(_ progress: BulkProgress, atNanoseconds moment: UInt64) -> Int? {
        guard progress.done > 0, moment > beganNanoseconds else { return nil }
        let each = Double(moment - beganNanoseconds) / 1e9 / Double(progress.done)
        return Int((each * Double(max(0, progress.total - progress.done))).rounded(.up))
    }
}
