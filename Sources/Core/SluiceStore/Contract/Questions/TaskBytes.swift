package import SluiceModel

/// Which bytes of a task are asked for.
package enum TaskBytes: Hashable, Sendable {
    /// The payload.
    case payload
    /// So many bytes from the beginning of the payload; one of more than
    /// `StoreRecord.shortPayloadBytes` is not read.
    case payloadHead(Int)
    /// The result.
    case result
}

/// How a payload or a result begins.
package struct BytesHead: Hashable, Sendable {
    /// Its first bytes, or all of them; none of a payload that is not short.
    package var bytes: [UInt8]
    /// How many bytes the whole has.
    package var size: Int

    /// The first bytes of `size` bytes.
    package init(_ bytes: [UInt8], size: Int) {
        (self.bytes, self.size) = (bytes, size)
    }

    /// All of some bytes.
    package init(_ whole: [UInt8]) { self.init(whole, size: whole.count) }

    /// So many bytes of a payload.
    package init(_ payload: [UInt8], first count: Int) {
        let isShort = payload.count <= StoreRecord.shortPayloadBytes
        self.init(isShort ? Array(payload.prefix(count)) : [], size: payload.count)
    }

    /// Whether that is all of it.
    package var isWhole: Bool { bytes.count == size }
}

extension StoreReader {
    /// The payloads of those of these tasks that exist.
    package func payloads(of ids: [TaskID]) throws -> [TaskID: [UInt8]] {
        try bytes(.payload, of: ids).mapValues(\.bytes)
    }

    /// A task's payload; nil when there is no such task.
    package func payload(of id: TaskID) throws -> [UInt8]? {
        try bytes(.payload, of: [id])[id]?.bytes
    }

    /// How their payloads begin. Those of more than `StoreRecord.shortPayloadBytes` are not read.
    package func payloadHeads(of ids: [TaskID], first count: Int) throws -> [TaskID: BytesHead] {
        try bytes(.payloadHead(count), of: ids)
    }

    /// The results of those of these tasks that have one.
    package func results(of ids: [TaskID]) throws -> [TaskID: [UInt8]] {
        try bytes(.result, of: ids).mapValues(\.bytes)
    }

    /// A task's result; nil when it has none.
    package func result(of id: TaskID) throws -> [UInt8]? {
        try bytes(.result, of: [id])[id]?.bytes
    }
}
