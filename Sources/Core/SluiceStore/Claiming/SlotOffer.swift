package import SluiceModel

/// The free slots that a runner offers to those who enqueue: what comes in and may start at once is
/// claimed for it in the commit that brings it, so that one commit stands between an enqueue and
/// the start, not two (A1).
package struct SlotOffer: Hashable, Sendable {
    /// The runner.
    package var process: ProcessID
    /// How many slots are free; 0 where the offer was withdrawn.
    package var slots: Int
    /// How many executions it has in hand, those that were handed over included.
    package var inHand: Int
    /// The highest priority among the queues that it serves: it had taken all there was, so that
    /// nothing of these queues comes before what is handed over now, and of a smaller one nothing
    /// is handed over (Q5).
    package var priority: Int64
    /// What was claimed for it since its own last claim, begun or not.
    package var handed: [TaskID]

    /// An offer with all its parts.
    package init(
        process: ProcessID, slots: Int, inHand: Int, priority: Int64, handed: [TaskID] = []
    ) {
        self.process = process
        self.slots = slots
        self.inHand = inHand
        self.priority = priority
        self.handed = handed
    }
}

/// Whether a process is seen from here to live and to go on (A2).
package typealias Liveness = @Sendable (ProcessRecord) -> Bool
