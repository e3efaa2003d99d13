/// A task of a session: payload, state and result (S3).
public struct SessionItem: Sendable, Identifiable {
    /// The task at the time of reading.
    public let task: QueueTask
    /// The encoded payload.
    public let payload: [UInt8]
    /// The decoded payload, or the reason why it is unreadable.
    public let content: Result<any TaskPayload, UnreadableTask>
    /// The handler's result, if it succeeded with one.
    public let result: [UInt8]?

    /// The task's number: unique in the store across sessions (PN-03).
    public var id: TaskID { task.id }
    /// The client's value for this task.
    public var clientString: ClientString? { task.clientString }
    /// The state: waiting, running, or its outcome.
    public var state: StateName { task.state.name }

    /// Why it ended without success; nil if it has not ended, or succeeded.
    public var error: String? {
        switch task.state {
        case .failed(let failure): failure.reason
        case .deleted(let trash): "deleted by \(trash.by)"
        case .waiting, .running, .succeeded: nil
        }
    }

    /// The payload, if it has this type.
    public func payload<Payload: TaskPayload>(as type: Payload.Type) -> Payload? {
        (try? content.get()) as? Payload
    }

    /// The decoded result, if any. Throws if decoding fails.
    public func result<Value: Decodable>(as type: Value.Type) throws -> Value? {
        try result.map { try PayloadCoding.decodeJSON(type, $0) }
    }
}

/// A task whose payload does not decode: the fault and the stored bytes. The session can cancel or
/// reissue it like any other (PN-09).
public struct UnreadableTask: Error, Hashable, Sendable {
    /// The fault.
    public let kind: DescriptionFault
    /// The type of the task.
    public let type: String
    /// Its payload, untouched.
    public let description: [UInt8]
    /// More about it; may be empty.
    public let detail: String
}

/// An event of a session.
public enum SessionEvent: Sendable {
    /// A running task reported its progress (A7).
    case progress(SessionProgress)
    /// A task ended. Its result remains until the client acknowledges it (S4).
    case ended(SessionItem)
    /// A pause stops a queue with waiting work of the session: the person, the reason and the end.
    /// Reported once per pause (PN-15).
    case paused(queue: String, Pause)
}

/// How far a task is.
public struct SessionProgress: Hashable, Sendable {
    /// The task.
    public var id: TaskID
    /// The number of its execution.
    public var execution: Int
    /// The completed fraction, 0...1, if known.
    public var fraction: Double?
    /// The progress text.
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
