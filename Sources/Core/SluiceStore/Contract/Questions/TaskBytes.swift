package import SluiceModel

/// The kind of bytes to read of a task.
package enum TaskBytes: Hashable, Sendable {
    case payload
    /// The first bytes of the payload. Payloads larger than `StoreRecord.shortPayloadBytes` are not
    /// read.
    case payloadHead(Int)
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

    /// The first `count` bytes of a payload.
    package init(_ payload: [UInt8], first count: Int) {
        let isShort = payload.count <= StoreRecord.shortPayloadBytes
        self.init(isShort ? Array(payload.prefix(count)) : [], size: payload.count)
    }

    package var isWhole: Bool { bytes.count == size }
}

extension StoreReader {
    /// The payloads of the given tasks; omits missing tasks.
    package func payloads(of ids: [TaskID]) throws -> [TaskID: [UInt8]] {
        try bytes(.payload, of: ids).mapValues(\.bytes)
    }

    /// A task's payload; nil when there is no such task.
    package func payload(of id: TaskID) throws -> [UInt8]? {
        try bytes(.payload, of: [id])[id]?.bytes
    }

    /// The first bytes of the payloads. Payloads larger than `StoreRecord.shortPayloadBytes` are
    /// not read.
    package func payloadHeads(of ids: [TaskID], first count: Int) throws -> [TaskID: BytesHead] {
        try bytes(.payloadHead(count), of: ids)
    }

    /// The results of the given tasks; omits tasks without one.
    package func results(of ids: [TaskID]) throws -> [TaskID: [UInt8]] {
        try bytes(.result, of: ids).mapValues(\.bytes)
    }

    /// A task's result; nil when it has none.
    package func result(of id: TaskID) throws -> [UInt8]? {
        try bytes(.result, of: [id])[id]?.bytes
    }
}
