/// The delays of retries within an attempt: six, doubling from 0.1 to 3.2 s (CIO-R36).
struct TryLadder: Hashable, Sendable {
    static let count = 6

    let firstMilliseconds: Int64
    private(set) var used = 0

    init(firstMilliseconds: Int64 = 100, isSpent: Bool = false) {
        self.firstMilliseconds = firstMilliseconds
        if isSpent { used = Self.count }
    }

    /// The longest delay.
    var longestMilliseconds: Int64 { firstMilliseconds << Int64(Self.count - 1) }

    /// The delay before the next retry; `nil` after the last one.
    mutating func next() -> Int64? {
        guard used < Self.count else { return nil }
        defer { used += 1 }
        return firstMilliseconds << Int64(used)
    }

    /// All six are there again: something went well (CIO-R37 mended).
    mutating func refill() { used = 0 }
}
