package import SluiceModel

/// Where on a tape a person wants to be (G6).
package enum TapeGoal: Hashable, Sendable {
    /// Behind an event; 0 is the beginning.
    case event(Int)
    /// Behind the last event that was not later.
    case moment(Timestamp)
}

/// Where on a tape the picture is.
package struct TapePlace: Hashable, Sendable {
    /// The event behind which it is.
    package var event: Int
    /// How many there are.
    package var count: Int
    /// When that event was.
    package var at: Timestamp
    /// What is not as usual with the tape, such as that it is cut off.
    package var remark: String?

    /// A place on a tape.
    package init(event: Int, count: Int, at: Timestamp, remark: String?) {
        (self.event, self.count, self.at, self.remark) = (event, count, at, remark)
    }
}
