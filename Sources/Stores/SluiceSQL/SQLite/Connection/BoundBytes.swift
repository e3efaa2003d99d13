/// One block of memory for the bytes of a statement's values while it runs, so that SQLite need not
/// copy them. It grows with the values.
struct BoundBytes {
    private static let largest = 1 << 16
    private var memory: UnsafeMutableRawPointer?
    private var capacity = 0
    private var used = 0

    /// Copies bytes to where they stay until the next values; nil if there is no room, and
    /// SQLite has to copy them.
    mutating func keep(_ bytes: UnsafeRawPointer, _ count: Int) -> UnsafeMutableRawPointer? {
        used += count
        guard used <= capacity, let memory else { return nil }
        let place = memory + (used - count)
        place.copyMemory(from: bytes, byteCount: count)
        return place
    }

    /// The values are of no use any more; the next ones get as much room as these wanted.
    mutating func reset() {
        if used > capacity, used <= Self.largest {
            free()
            capacity = max(64, used + used / 2)
            memory = .allocate(byteCount: capacity, alignment: 8)
        }
        used = 0
    }

    func free() { memory?.deallocate() }
}
