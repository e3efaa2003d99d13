import SluiceModel

/// A row of the index of a store in memory: the places of some tasks in their order, in pieces, so
/// that a change of a copy copies one of them.
struct IndexRow: Sendable {
    private static let largestPiece = 128
    /// None is empty.
    private var pieces: [[Place]] = []

    /// A part of a row, without its ends.
    struct Span {
        var after: Place?
        var before: Place?
    }

    var isEmpty: Bool { pieces.isEmpty }

    mutating func insert(_ place: Place) {
        guard !pieces.isEmpty else { return pieces = [[place]] }
        let at = min(piece(of: place), pieces.count - 1)
        pieces[at].insert(place, at: Self.index(of: place, in: pieces[at]))
        guard pieces[at].count > Self.largestPiece else { return }
        let half = pieces[at].count / 2
        pieces.insert(Array(pieces[at][half...]), at: at + 1)
        pieces[at].removeSubrange(half...)
    }

    mutating func remove(_ place: Place) {
        let at = piece(of: place)
        guard at < pieces.count else { return }
        let index = Self.index(of: place, in: pieces[at])
        guard pieces[at][index] == place else { return }
        pieces[at].remove(at: index)
        if pieces[at].isEmpty { pieces.remove(at: at) }
    }

    /// Tells the tasks of a part in their order, or against it, as long as more are wanted.
    func visit(_ span: Span, isBackwards: Bool, _ wantsMore: (TaskID) -> Bool) {
        isBackwards ? visitBackwards(span, wantsMore) : visitForwards(span, wantsMore)
    }

    private func visitForwards(_ span: Span, _ wantsMore: (TaskID) -> Bool) {
        var at = span.after.map(piece) ?? 0
        guard at < pieces.count else { return }
        var index = span.after.map { Self.index(of: $0, in: pieces[at]) } ?? 0
        while at < pieces.count {
            while index < pieces[at].count {
                let place = pieces[at][index]
                if let before = span.before, !(place < before) { return }
                guard wantsMore(place.id) else { return }
                index += 1
            }
            (at, index) = (at + 1, 0)
        }
    }

    private func visitBackwards(_ span: Span, _ wantsMore: (TaskID) -> Bool) {
        var at = span.before.map(piece) ?? pieces.count
        var index = 0
        if let before = span.before, at < pieces.count {
            index = Self.index(of: before, in: pieces[at])
        }
        while true {
            while index > 0 {
                index -= 1
                let place = pieces[at][index]
                if let after = span.after, place < after { return }
                guard wantsMore(place.id) else { return }
            }
            guard at > 0 else { return }
            at -= 1
            index = pieces[at].count
        }
    }

    /// The first piece that does not end before a place.
    private func piece(of place: Place) -> Int {
        Self.first(pieces.count) { at in
            let piece = pieces[at]
            return !(piece[piece.count - 1] < place)
        }
    }

    /// The first index whose place is not before another.
    private static func index(of place: Place, in piece: [Place]) -> Int {
        first(piece.count) { !(piece[$0] < place) }
    }

    /// The first of so many for which something holds, which then holds for all that follow.
    private static func first(_ count: Int, where holds: (Int) -> Bool) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if holds(middle) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}

extension IndexRow {
    /// Where a task stands in a row: by a key, then by its number. The first sixteen bytes of the
    /// key are kept as two numbers, which compare faster than bytes.
    struct Place: Comparable, Sendable {
        let id: TaskID
        private let high: UInt64
        private let low: UInt64
        private let count: Int
        private let rest: [UInt8]

        init(_ key: OrderKey, _ id: TaskID) {
            self.id = id
            high = Self.number(key.bytes, 0)
            low = Self.number(key.bytes, 8)
            count = key.bytes.count
            rest = count > 16 ? Array(key.bytes[16...]) : []
        }

        /// A place by a number, then by that of the task.
        init(_ number: Int64, _ id: TaskID) {
            self.id = id
            high = UInt64(bitPattern: number) ^ (1 << 63)
            low = UInt64(bitPattern: id) ^ (1 << 63)
            count = 16
            rest = []
        }

        static func < (left: Place, right: Place) -> Bool {
            if left.high != right.high { return left.high < right.high }
            if left.low != right.low { return left.low < right.low }
            if left.rest != right.rest { return left.rest.lexicographicallyPrecedes(right.rest) }
            if left.count != right.count { return left.count < right.count }
            return left.id < right.id
        }

        static func == (left: Place, right: Place) -> Bool {
            left.id == right.id && left.high == right.high && left.low == right.low
                && left.count == right.count && left.rest == right.rest
        }

        /// Eight bytes from one on, the largest first; those that are missing count as 0.
        private static func number(_ bytes: [UInt8], _ first: Int) -> UInt64 {
            guard bytes.count < first + 8 else {
                return bytes.withUnsafeBytes {
                    UInt64(
                        bigEndian: $0.loadUnaligned(fromByteOffset: first, as: UInt64.self))
                }
            }
            guard bytes.count > first else { return 0 }
            var number: UInt64 = 0
            for index in first..<(first + 8) {
                number = number << 8 | UInt64(index < bytes.count ? bytes[index] : 0)
            }
            return number
        }
    }
}
