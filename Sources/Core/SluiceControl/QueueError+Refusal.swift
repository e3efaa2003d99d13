import SluiceModel

extension QueueError {
    /// Whether a rule refused one task before any write, so other tasks may continue. Any other
    /// error undoes the verb.
    package var isRefusal: Bool {
        switch code {
        case .unknownTask, .unknownQueue, .changed, .notLegal, .uniqueTaken, .queueFull,
            .enqueuePaused, .payloadTooLarge, .tooDeep, .badName, .badValue, .ambiguousTask:
            true
        case .noStore, .notAStore, .newerSchema, .damagedStore, .storeBusy, .readOnly, .diskFull,
            .serverGone, .denied, .protected, .badFilter, .badHandlers, .noHandler, .noTerminal:
            false
        }
    }
}
