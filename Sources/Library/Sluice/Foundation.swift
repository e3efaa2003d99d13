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

extension EnqueueRequest {
    /// A task that is not due before a moment as Foundation has it, with when it expires.
    public init(
        type: String, payload: [UInt8] = [], notBefore: Date, expiresAt: Date? = nil
    ) {
        self.init(
            type: type, payload: payload, notBefore: Timestamp(notBefore),
            expiresAt: expiresAt.map { Timestamp($0) })
    }

    /// A task that expires at a moment as Foundation has it.
    public init(type: String, payload: [UInt8] = [], expiresAt: Date) {
        self.init(type: type, payload: payload, expiresAt: Timestamp(expiresAt))
    }
}

extension ClockRequest.Change {
    /// Shows this moment now.
    public static func set(_ date: Date) -> ClockRequest.Change { .set(Timestamp(date)) }
}

extension ScheduledMoment {
    /// A moment of a schedule.
    public init(schedule: String, at date: Date) {
        self.init(schedule: schedule, at: Timestamp(date))
    }
}

extension TaskSession {
    /// Hands a task over that is not due before a moment as Foundation has it.
    @discardableResult
    public nonisolated(nonsending) func enqueue<Payload: TaskPayload>(
        _ payload: Payload, to queue: String? = nil, clientString: ClientString? = nil,
        notBefore date: Date, _ configure: (inout EnqueueRequest) -> Void = { _ in }
    ) async throws -> TaskID {
        try await enqueue(
            payload, to: queue, clientString: clientString, notBefore: Timestamp(date), configure)
    }

    /// Replaces the earliest begin of a task that has not ended by a moment as Foundation has it.
    public func setEarliestBegin(_ date: Date, of id: TaskID) async throws {
        try await setEarliestBegin(Timestamp(date), of: id)
    }
}

extension QueueError: LocalizedError {
    /// The event, its object and its place.
    public var errorDescription: String? { message }
    /// The fix, if any.
    public var recoverySuggestion: String? { fix.isEmpty ? nil : fix }
}
