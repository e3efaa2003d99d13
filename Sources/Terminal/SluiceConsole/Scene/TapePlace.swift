package import SluiceModel

/// The requested position on a tape (G6).
package enum TapeGoal: Hashable, Sendable {
    /// After an event; 0 is the beginning.
    case event(Int)
    /// After the last event at or before the moment.
    case moment(Timestamp)
}

/// The position of the picture on a tape.
package struct TapePlace: Hashable, Sendable {
    /// The number of events up to this position.
    package var event: Int
    package var count: Int
    package var at: Timestamp
    /// A problem with the tape, such as a truncated end.
    package var remark: String?

    package init(event: Int, count: Int, at: Timestamp, remark: String?) {
        (self.event, self.count, self.at, self.remark) = (event, count, at, remark)
    }
}
