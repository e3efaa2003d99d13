/// A task of a session as its client is told of it: what was handed over, where it is, and what
/// came of it (S3).
public struct SessionItem: Sendable, Identifiable {
    /// The task as it was when it was read.
    public let task: QueueTask
    /// What was handed over, as it stands in the store.
    public let payload: [UInt8]
    /// What was handed over as the value it was, or why it cannot be read as one.
    public let content: Result<any TaskPayload, UnreadableTask>
    /// What its handler gave back, where it succeeded with a result.
    public let result: [UInt8]?

    /// The task's number: unique in the store, whatever the session (PN-03).
    public var id: TaskID { task.id }
    /// What the client wanted back.
    public var clientString: ClientString? { task.clientString }
    /// Where it is: waiting, running, or how it ended.
    public var state: StateName { task.state.name }

    /// Why it ended without success; nil where it has not ended, or succeeded.
    public var error: String? {
        switch task.state {
        case .failed(let failure): failure.reason
        case .deleted(let trash): "deleted by \(trash.by)"
        case .waiting, .running, .succeeded: nil
        }
    }

    /// What was handed over, where it is of that type.
    public func payload<Payload: TaskPayload>(as type: Payload.Type) -> Payload? {
        (try? content.get()) as? Payload
    }

    /// What its handler gave back, as a value; nil where there is none. Throws where it does not
    /// decode.
    public func result<Value: Decodable>(as type: Value.Type) throws -> Value? {
        try result.map { try PayloadCoding.decodeJSON(type, $0) }
    }
}

/// A task that cannot be given back as a typed one: the kind of fault, and what stands in the
/// store. It can be cancelled, or issued again, like any other (PN-09).
public struct UnreadableTask: Error, Hashable, Sendable {
    /// What is wrong.
    public let kind: DescriptionFault
    /// The type of the task.
    public let type: String
    /// Its payload, untouched.
    public let description: [UInt8]
    /// More about it; may be empty.
    public let detail: String
}

/// What a session tells its client.
public enum SessionEvent: Sendable {
    /// A running task said how far it is (A7).
    case progress(SessionProgress)
    /// A task ended; the result stays until it is acknowledged (S4).
    case ended(SessionItem)
    /// A queue in which work of the session waits starts nothing: by whom, why, until when. Told
    /// once for each pause, so that nobody waits without knowing (PN-15).
    case paused(queue: String, Pause)
}

/// How far a task is.
public struct SessionProgress: Hashable, Sendable {
    /// The task.
    public var id: TaskID
    /// The number of its execution.
    public var execution: Int
    /// The part that is done, 0...1, where it is known.
    public var fraction: Double?
    /// The words beside it.
    public var text: String?
}

extension SessionItem {
    /// An entry read with the types that the program knows.
    init(_ entry: SessionEntry, kinds: [String: any TaskPayload.Type]) {
        task = entry.task
        payload = entry.payload
        result = entry.result
        content = Self.content(entry, kinds)
    }

    private static func content(
        _ entry: SessionEntry, _ kinds: [String: any TaskPayload.Type]
    ) -> Result<any TaskPayload, UnreadableTask> {
        func unreadable(_ kind: DescriptionFault, _ detail: String) -> UnreadableTask {
            UnreadableTask(
                kind: kind, type: entry.task.type, description: entry.payload, detail: detail)
        }
        if let fault = DescriptionFault(payload: entry.payload) {
            return .failure(unreadable(fault, ""))
        }
        guard let type = kinds[entry.task.type] else {
            return .failure(unreadable(.unknownKind, "this program knows no \(entry.task.type)"))
        }
        do throws(UnreadablePayload) {
            return .success(try PayloadCoding.read(type, from: entry.payload))
        } catch {
            return .failure(unreadable(error.fault, error.detail))
        }
    }
}
