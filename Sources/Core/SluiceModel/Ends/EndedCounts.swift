/// How many ends of one class a queue had in one minute, by ten seconds.
package struct EndedCounts: Hashable, Sendable {
    package enum Class: Hashable, Sendable {
        /// Attempts, by their outcome and by how long they took.
        case attempts(EndedOutcome, DurationBucket)
        /// Tasks that failed with one kind of error and are still failed; the value is the kind's
        /// key.
        case failures(Int64)
        /// Attempts that began, by how long their tasks had been due.
        case waits(DurationBucket)
    }
    package var what: Class
    package var minute: Timestamp
    /// How many in each ten seconds of it; six.
    package var sixths: [Int]

    /// How many in the whole minute.
    package var total: Int { sixths.reduce(0, +) }

    /// The count in the ten-second slots after one of them.
    package func ended(after sixth: Int) -> Int { sixths.dropFirst(sixth + 1).reduce(0, +) }

    package init(_ what: Class, minute: Timestamp, sixths: [Int]) {
        self.what = what
        self.minute = minute
        self.sixths = sixths
    }

    package static let minuteMilliseconds: Int64 = 60_000
    /// The number of minutes to keep.
    package static let keptMinutes = 64

    /// The minute of a moment, counted from 1970.
    package static func minute(of moment: Timestamp) -> Int64 {
        moment.milliseconds.divided(by: minuteMilliseconds)
    }

    /// The ten seconds of its minute, 0 to 5.
    package static func sixth(of moment: Timestamp) -> Int {
        Int((moment.milliseconds - minute(of: moment) * minuteMilliseconds) / 10_000)
    }
}

/// How an attempt ended, as rates count it.
package enum EndedOutcome: Int64, Hashable, Sendable, CaseIterable {
    case succeeded
    /// It counts against the attempt limit.
    case failed
    /// Stopped, cancelled or without a network.
    case other

    package init(_ attempt: AttemptRecord) {
        self =
            attempt.outcome == .success ? .succeeded : attempt.isCounted ? .failed : .other
    }
}

/// A range of durations. Each power of two of milliseconds has four, so its duration is at most a
/// quarter too long and never too short.
package struct DurationBucket: Hashable, Sendable, Comparable {
    /// 0 for less than a millisecond, then the larger the longer.
    package let number: Int64

    package static let limit: Int64 = 160

    /// The one of a length of time.
    package init(milliseconds: Int64) {
        guard milliseconds > 0 else {
            number = 0
            return
        }
        let power = Int64(63 - milliseconds.leadingZeroBitCount)
        let quarter = power < 2 ? milliseconds << (2 - power) : milliseconds >> (power - 2)
        number = min(Self.limit, 1 + 4 * power + (quarter & 3))
    }

    package init(number: Int64) { self.number = number }

    /// The longest time of it.
    package var milliseconds: Int64 {
        guard number > 0 else { return 0 }
        let (power, quarter) = ((number - 1) / 4, (number - 1) % 4)
        return ((5 + quarter) << power - 1) / 4
    }

    /// The middle of its shortest and its longest time, at most an eighth from each of its times.
    package var middle: Int64 {
        guard number > 0 else { return 0 }
        return (DurationBucket(number: number - 1).milliseconds + 1 + milliseconds) / 2
    }

    /// The shorter one first.
    package static func < (left: DurationBucket, right: DurationBucket) -> Bool {
        left.number < right.number
    }
}

/// How many failed tasks of one queue and one type an error of one kind has.
package struct FailureCount: Hashable, Sendable {
    package var queue: String
    package var kind: FailureKind
    package var type: String
    package var count: Int
    package var attempts: Int
    /// When the first and the last of them failed, since there was one last.
    package var first: Timestamp
    /// When the last of them failed.
    package var last: Timestamp

    package init(
        queue: String, kind: FailureKind, type: String, count: Int, attempts: Int,
        first: Timestamp, last: Timestamp
    ) {
        self.queue = queue
        self.kind = kind
        self.type = type
        self.count = count
        self.attempts = attempts
        self.first = first
        self.last = last
    }
}

extension Int64 {
    /// Rounded down, also below zero.
    fileprivate func divided(by divisor: Int64) -> Int64 {
        let quotient = self / divisor
        return self % divisor < 0 ? quotient - 1 : quotient
    }
}
