/// A task's place in its queue's order, as bytes that compare like the order. One index then serves
/// every order, and a page is a range of keys (Q1, K6).
package struct OrderKey: Hashable, Comparable, Sendable {
    /// The bytes; shorter ones that begin a longer one come first.
    package var bytes: [UInt8]

    /// A key of bytes that an engine stored.
    package init(bytes: [UInt8]) { self.bytes = bytes }

    /// The key of `task` in a queue with `order`.
    package init(_ task: QueueTask, order: QueueOrder) {
        self.init(
            position: task.position, priority: task.priority, sortKey: task.sortKey, order: order)
    }

    /// The key of a task with these fields in a queue with `order`.
    package init(position: Int64, priority: Int, sortKey: SortKey?, order: QueueOrder) {
        bytes = []
        bytes.reserveCapacity(16)
        switch order {
        case .fifo: append(position)
        case .lifo: append(~position)
        case .priority:
            append(~Int64(priority))
            append(position)
        case .key:
            append(sortKey)
            append(position)
        }
    }

    /// The key of a task that runs or has ended: by a moment, then by its number.
    package init(moment: Timestamp, id: TaskID, isNewestFirst: Bool) {
        bytes = []
        bytes.reserveCapacity(16)
        append(isNewestFirst ? ~moment.milliseconds : moment.milliseconds)
        append(isNewestFirst ? ~id : id)
    }

    /// Whether the first comes before the second in the running order.
    package static func < (left: OrderKey, right: OrderKey) -> Bool {
        left.bytes.lexicographicallyPrecedes(right.bytes)
    }

    /// A signed number, largest byte first, with its sign turned so that bytes compare like values.
    private mutating func append(_ number: Int64) {
        let turned = UInt64(bitPattern: number) ^ (1 << 63)
        withUnsafeBytes(of: turned.bigEndian) { bytes.append(contentsOf: $0) }
    }

    /// Integers come first, then texts by their UTF-8 bytes, then those without a key. A zero byte
    /// of a text is written as 0,255 and its end as 0,0.
    private mutating func append(_ key: SortKey?) {
        switch key {
        case .integer(let number):
            bytes.append(1)
            append(number)
        case .text(let text):
            bytes.append(2)
            for byte in text.utf8 {
                bytes.append(byte)
                if byte == 0 { bytes.append(255) }
            }
            bytes += [0, 0]
        case nil:
            bytes.append(3)
        }
    }
}
