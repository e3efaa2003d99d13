public import SluiceSQLiteStore
public import SluiceStore

extension ApplicationInbox {
    /// Puts a typed task into the inbox, as `QueueClient.enqueue` would into the queue.
    public func enqueue<Payload: TaskPayload>(
        _ payload: Payload, to queue: String,
        _ configure: (inout EnqueueRequest) -> Void = { _ in }
    ) throws {
        var request = try EnqueueRequest(payload)
        configure(&request)
        try enqueue(request, to: queue)
    }
}
