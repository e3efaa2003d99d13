package import SluiceModel

/// A change of a store other than tasks and journal lines: a small record that is replaced or
/// removed.
package enum StoreChange: Hashable, Sendable {
    case store(StoreRecord)
    /// A queue is added or replaced; a new `order` puts its waiting tasks in the new order.
    case queue(QueueRecord)
    /// A queue goes with every task in it.
    case removedQueue(String)
    /// Clears the run mark of every task of a queue, and the skips that end with the run.
    case clearedRunMarks(queue: String)
    /// Adds or replaces a process.
    case process(ProcessRecord)
    /// A process goes with its offer and the permits that it issued or was to take.
    case removedProcess(ProcessID)
    /// The offer of a process is added or replaced; only if there is a life sign.
    case offer(SlotOffer)
    case removedOffer(of: ProcessID)
    case permit(Permit)
    case removedPermits([Int64])
    /// Replaces a task's payload.
    case payload([UInt8], of: TaskID)
    /// Sets or clears a task's result.
    case result([UInt8]?, of: TaskID)
    /// Records the origin of a task. The record outlives the task.
    case origin(String, of: TaskID)
    /// Marks an event as undone by another.
    case undone(Int64, by: Int64)
    /// Images for checkpoints are added, or replaced where there is one of that subject under that
    /// mark (G5).
    case images([CheckpointImage])
    /// The images under marks before this one go.
    case removedImages(before: Int64)
    /// Adds or replaces a step; only the newest `StepImage.kept` steps remain.
    case step(StepImage)
    /// Removes records for the recorder up to a number, after it moved them to its file (G6).
    case movedRecords(through: Int64)
}

/// Each change by its name.
extension StoreWriter {
    /// Replaces what holds for the store as a whole.
    package func put(_ store: StoreRecord) throws { try apply(.store(store)) }
    /// Adds a queue or replaces it.
    package func put(_ queue: QueueRecord) throws { try apply(.queue(queue)) }
    /// Forgets a queue and every task in it.
    package func removeQueue(named name: String) throws { try apply(.removedQueue(name)) }
    /// Takes the mark of the open run from every task of a queue.
    package func clearRunMarks(queue: String) throws { try apply(.clearedRunMarks(queue: queue)) }
    /// Adds a process or replaces it.
    package func put(_ process: ProcessRecord) throws { try apply(.process(process)) }
    /// Forgets a process, its offer, and the permits it issued or was to take.
    package func removeProcess(_ id: ProcessID) throws { try apply(.removedProcess(id)) }
    /// Adds the offer of a process or replaces it.
    package func put(_ offer: SlotOffer) throws { try apply(.offer(offer)) }
    package func removeOffer(of process: ProcessID) throws { try apply(.removedOffer(of: process)) }
    package func put(_ permit: Permit) throws { try apply(.permit(permit)) }
    package func removePermits(_ ids: [Int64]) throws { try apply(.removedPermits(ids)) }
    package func setPayload(_ payload: [UInt8], of id: TaskID) throws {
        try apply(.payload(payload, of: id))
    }
    package func setResult(_ result: [UInt8]?, of id: TaskID) throws {
        try apply(.result(result, of: id))
    }
    package func putOrigin(_ origin: String, of id: TaskID) throws {
        try apply(.origin(origin, of: id))
    }
    package func markUndone(_ sequence: Int64, by undo: Int64) throws {
        try apply(.undone(sequence, by: undo))
    }
    /// Removes records for a recorder up to a number (G6).
    package func forgetRecorded(through number: Int64) throws {
        try apply(.movedRecords(through: number))
    }
    /// Keeps a step, or replaces it.
    package func put(_ step: StepImage) throws { try apply(.step(step)) }
    package func put(_ images: [CheckpointImage]) throws { try apply(.images(images)) }
    /// Forgets the images under marks before this one.
    package func removeImages(before mark: Int64) throws { try apply(.removedImages(before: mark)) }
}
