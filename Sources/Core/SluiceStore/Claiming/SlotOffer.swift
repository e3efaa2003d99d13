package import SluiceModel

/// Free slots that a runner offers to callers that enqueue. The enqueue claims a ready task for it
/// in the same commit, which saves one commit before the start (A1).
package struct SlotOffer: Hashable, Sendable {
    package var process: ProcessID
    /// How many slots are free; 0 where the offer was withdrawn.
    package var slots: Int
    /// The number of tasks in hand, including those handed over.
    package var inFlight: Int
    /// The highest priority among the queues that it serves. Its last claim emptied them, so tasks
    /// of these queues may be handed over; tasks of lower queues may not (Q5).
    package var priority: Int64
    /// The tasks handed over since its own last claim, started or not.
    package var handed: [TaskID]

    package init(
        process: ProcessID, slots: Int, inFlight: Int, priority: Int64, handed: [TaskID] = []
    ) {
        self.process = process
        self.slots = slots
        self.inFlight = inFlight
        self.priority = priority
        self.handed = handed
    }
}

/// Whether this process can see that a process is alive and keeps running (A2).
package typealias Liveness = @Sendable (ProcessRecord) -> Bool
