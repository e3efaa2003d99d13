public import FoundationEssentials

extension Timestamp {
    /// A moment as Foundation has it, to the millisecond.
    public init(_ date: Date) {
        let milliseconds = (date.timeIntervalSince1970 * 1000).rounded()
        self.init(milliseconds: Int64(exactly: milliseconds) ?? (milliseconds < 0 ? .min : .max))
    }

    /// The moment as Foundation has it.
    public var date: Date { Date(timeIntervalSince1970: Double(milliseconds) / 1000) }
}

extension QueueError: LocalizedError {
    /// What happened, to what, where.
    public var errorDescription: String? { message }
    /// What to do about it; nil where nothing can be done.
    public var recoverySuggestion: String? { fix.isEmpty ? nil : fix }
}
