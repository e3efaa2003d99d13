package import SluiceModel

/// A digest of tasks in order, over the values that are equal in every store. Its 128 bits detect
/// accidental differences, not deliberate collisions.
package struct ReplicaDigest: Hashable, Sendable {
    private var one: UInt64 = 0xCBF2_9CE4_8422_2325
    private var other: UInt64 = 0x9E37_79B9_7F4A_7C15
    package private(set) var count = 0

    /// The digest of no tasks.
    package init() {}

    /// 32 hexadecimal digits.
    package var text: String {
        [one, other].map { word in
            let digits = String(word, radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
    }

    /// Takes in the digest of the next part.
    package mutating func join(_ part: ReplicaDigest) {
        guard part.count > 0 else { return }
        take(Int64(bitPattern: part.one))
        take(Int64(bitPattern: part.other))
        count += part.count
    }

    /// Adds a task as its original store has it.
    package mutating func take(_ incoming: IncomingTask, awakeAt now: Timestamp) {
        var task = incoming.task.awake(at: now)
        task.state = task.state.brought
        take(task, incoming.origin, incoming.payload, incoming.result, incoming.attempts)
    }

    /// Adds a task as the target store has it.
    mutating func take(
        _ actual: QueueTask, of incoming: IncomingTask, _ store: any StoreReader
    ) throws {
        let numbers = Set(incoming.attempts.map(\.number))
        let attempts =
            numbers.isEmpty
            ? [] : try store.attempts(of: actual.id).filter { numbers.contains($0.number) }
        take(
            actual, incoming.origin, try store.payload(of: actual.id) ?? [],
            try store.result(of: actual.id), attempts)
    }

    private mutating func take(
        _ task: QueueTask, _ origin: String, _ payload: [UInt8], _ result: [UInt8]?,
        _ attempts: [AttemptRecord]
    ) {
        count += 1
        for text in [origin, task.type] { take(text) }
        for text in [task.groupStart, task.uniqueKey, task.session, task.label, task.lastError] {
            take(text ?? "")
        }
        for group in task.groupMembers { take(group) }
        for header in TaskHeaders.sorted(task.headers) {
            take(header.name)
            take(header.value)
        }
        let numbers = [
            task.position, Int64(task.priority), task.version, task.createdAt.milliseconds,
            Int64(task.attempts), Int64(task.executions), Int64(task.losses),
            task.waiting?.timer?.until.milliseconds ?? 0, task.endedAt?.milliseconds ?? 0,
            task.expiresAt?.milliseconds ?? 0, Int64(task.waitFlags.rawValue),
        ]
        for number in numbers { take(number) }
        take(task.state.name.rawValue)
        take(task.clientString?.bytes ?? [])
        take(payload)
        take(result ?? [])
        for attempt in attempts {
            take(Int64(attempt.number))
            take(attempt.startedAt.milliseconds)
            take(attempt.endedAt?.milliseconds ?? 0)
            for text in [attempt.outcome?.rawValue, attempt.error] { take(text ?? "") }
        }
    }

    private mutating func take(_ number: Int64) {
        // Two words of one number are not the same function of it.
        let word = UInt64(bitPattern: number)
        one = (one ^ word) &* 0x100_0000_01B3
        one ^= one >> 29
        other = (other &+ word) &* 0x2545_F491_4F6C_DD1D
        other ^= other >> 31
    }

    private mutating func take(_ text: String) { take(Array(text.utf8)) }

    private mutating func take(_ bytes: [UInt8]) {
        take(Int64(bytes.count))
        for byte in bytes {
            one = (one ^ UInt64(byte)) &* 0x100_0000_01B3
            other = (other &+ UInt64(byte)) &* 0x2545_F491_4F6C_DD1D
            other ^= other >> 33
        }
    }
}
