public import SluiceModel

/// Where on a tape a person wants to be (G6).
public enum TapeGoal: Hashable, Sendable {
    /// Behind an event; 0 is the beginning.
    case event(Int)
    /// Behind the last event that was not later.
    case moment(Timestamp)
}

/// Where on a tape the picture is.
public struct TapePlace: Hashable, Sendable {
    /// The event behind which it is.
    public var event: Int
    /// How many there are.
    public var count: Int
    /// When that event was.
    public var at: Timestamp
    /// What is not as usual with the tape, such as that it is cut off.
    public var remark: String?

    /// A place on a tape.
    public init(event: Int, count: Int, at: Timestamp, remark: String?) {
        (self.event, self.count, self.at, self.remark) = (event, count, at, remark)
    }
}
