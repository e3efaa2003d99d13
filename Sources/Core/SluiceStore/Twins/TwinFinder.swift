package import SluiceModel

/// Finds the twins of tasks: tasks of the same queue, type and payload that were created within a
/// minute, at most 1,000 numbers apart.
///
/// A finder caches the rows of up to 256 blocks of numbers for the next tasks.
package final class TwinFinder {
    /// How many numbers twins are apart at most, so that a look at one task has a bounded cost.
    package static let reach: TaskID = 1000
    /// How far apart twins were created at most.
    package static let milliseconds: Int64 = 60_000

    private static let blockLimit = 256
    private static let payloadsAtOnce = 100

    /// The properties that twins share in addition to the payload.
    private struct Kind: Hashable {
        var queue: String
        var type: String
    }

    private struct Candidate {
        var id: TaskID
        var createdAt: Timestamp
    }

    private let store: any StoreReader
    /// The candidates among `reach` consecutive numbers, by the number of the block.
    private var blocks: [TaskID: [Kind: [Candidate]]] = [:]
    private var hashes: [TaskID: Int] = [:]

    package init(_ store: any StoreReader) { self.store = store }

    /// The twins of a task, in the order of their numbers. Throws what the store throws.
    package func twins(of task: QueueTask) throws -> [TaskID] {
        guard task.createdAt != .unknown else { return [] }
        let kind = Kind(queue: task.queue, type: task.type)
        let block = task.id / Self.reach
        var near: [TaskID] = []
        for number in block - 1...block + 1 {
            for other in try candidates(number)[kind] ?? [] where isNear(other, task) {
                near.append(other.id)
            }
        }
        guard !near.isEmpty else { return [] }
        try readHashes(of: [task.id] + near)
        let alike = near.filter { hashes[$0] == hashes[task.id] }
        // Equal hashes do not prove equal payloads.
        let payloads = try store.payloads(of: [task.id] + alike)
        return alike.filter { payloads[$0] == payloads[task.id] }
    }

    private func isNear(_ other: Candidate, _ task: QueueTask) -> Bool {
        guard other.id != task.id, abs(other.id - task.id) <= Self.reach else { return false }
        return abs(other.createdAt - task.createdAt) <= Self.milliseconds
    }

    private func candidates(_ block: TaskID) throws -> [Kind: [Candidate]] {
        guard block >= 0 else { return [:] }
        if let known = blocks[block] { return known }
        if blocks.count >= Self.blockLimit { (blocks, hashes) = ([:], [:]) }
        let first = block * Self.reach
        var found: [Kind: [Candidate]] = [:]
        for task in try store.tasks(Array(first..<first + Self.reach)) {
            found[Kind(queue: task.queue, type: task.type), default: []].append(
                Candidate(id: task.id, createdAt: task.createdAt))
        }
        blocks[block] = found
        return found
    }

    private func readHashes(of ids: [TaskID]) throws {
        var rest = ids.filter { hashes[$0] == nil }[...]
        while !rest.isEmpty {
            for (id, payload) in try store.payloads(of: Array(rest.prefix(Self.payloadsAtOnce))) {
                hashes[id] = payload.hashValue
            }
            rest = rest.dropFirst(Self.payloadsAtOnce)
        }
    }
}
