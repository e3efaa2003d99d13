/// One field of a task or a queue that is another than it was.
package struct FieldDifference: Hashable, Sendable {
    /// Its name, as JSON has it.
    package var name: String
    package var from: JSONValue
    package var to: JSONValue

    package init(name: String, from: JSONValue, to: JSONValue) {
        (self.name, self.from, self.to) = (name, from, to)
    }

    /// The differences between two lists with the same names in the same order.
    package static func between(
        _ old: [(name: String, value: JSONValue)], _ new: [(name: String, value: JSONValue)]
    ) -> [FieldDifference] {
        zip(old, new).compactMap { old, new in
            old.value == new.value
                ? nil : FieldDifference(name: old.name, from: old.value, to: new.value)
        }
    }
}

extension QueueTask {
    /// The fields that differ from `former` and that a checkpoint restores. Omits version, moments,
    /// index columns and attempt numbers.
    package func differences(from former: QueueTask) -> [FieldDifference] {
        FieldDifference.between(former.comparedFields, comparedFields)
    }

    /// The compared fields, in display order.
    package var comparedFields: [(name: String, value: JSONValue)] {
        [
            ("queue", .string(queue)), ("type", .string(type)),
            ("state", .string(state.name.rawValue)), ("position", .integer(position)),
            ("priority", .integer(Int64(priority))), ("sortKey", sortKey?.json ?? .null),
            ("groupStart", JSONValue(groupStart)),
            ("groupMembers", .array(groupMembers.map(JSONValue.string))),
            ("attempts", JSONValue(attempts)), ("attemptLimit", JSONValue(attemptLimit)),
            ("notBefore", JSONValue(waiting?.timer?.until)),
            ("retrying", .bool(waiting?.timer?.cause == .retry)),
            ("skipped", waiting?.skip.map(Self.json) ?? .null),
            ("parked", waiting?.parking.map(Self.json) ?? .null),
            ("attemptedInRun", .bool(waiting?.attemptedInRun == true)),
            ("ended", JSONValue(endedAt)), ("reason", JSONValue(failureReason)),
            ("error", JSONValue(lastError)), ("losses", JSONValue(losses)),
            ("offline", JSONValue(offlineInSuccession)), ("createdAt", JSONValue(createdAt)),
            ("expiresAt", JSONValue(expiresAt)),
            ("requires", .array(requires.map(\.rawValue).sorted().map(JSONValue.string))),
            ("required", .bool(isRequired)), ("unique", JSONValue(uniqueKey)),
            ("session", JSONValue(session)),
            ("clientString", JSONValue(clientString.map { $0.text ?? Base64.encode($0.bytes) })),
            ("parent", JSONValue(parent)), ("depth", JSONValue(depth)),
            ("label", JSONValue(label)),
            ("headers", JSONValue(TaskHeaders.sorted(headers).map { "\($0.name): \($0.value)" })),
        ]
    }

    private var failureReason: String? {
        if case .failed(let failure) = state { return failure.reason }
        return nil
    }

    private static func json(_ skip: Skip) -> JSONValue {
        ["by": .string(skip.by), "until": JSONValue(skip.until)]
    }

    private static func json(_ parking: Parking) -> JSONValue {
        ["cause": .string(parking.cause.rawValue), "detail": .string(parking.detail)]
    }
}

extension SortKey {
    fileprivate var json: JSONValue {
        switch self {
        case .integer(let number): .integer(number)
        case .text(let text): .string(text)
        }
    }
}

extension QueueTask {
    /// This former self of a task as a checkpoint puts it back (G5): what ran waits, for leases and
    /// processes never come back, and what a client has collected stays collected.
    package func asPutBack(over current: QueueTask?) -> QueueTask {
        var task = withoutEdit
        if let running = task.running {
            task.state = .waiting(
                Waiting(
                    timer: running.notBefore.map {
                        WaitTimer(until: $0, cause: .notBefore, since: running.since)
                    }))
        }
        if case .deleted(var trash) = task.state, case .running = trash.former {
            trash.former = .waiting(Waiting())
            task.state = .deleted(trash)
        }
        let isCollected = current.map { $0.isAcknowledged } ?? (session != nil)
        if isCollected { task.state.acknowledge() }
        return task
    }
}

extension TaskState {
    /// Says of an end that its client has collected it.
    fileprivate mutating func acknowledge() {
        switch self {
        case .succeeded(var success):
            success.isAcknowledged = true
            self = .succeeded(success)
        case .failed(var failure):
            failure.isAcknowledged = true
            self = .failed(failure)
        case .deleted(var trash):
            trash.isAcknowledged = true
            self = .deleted(trash)
        case .waiting, .running: break
        }
    }
}
