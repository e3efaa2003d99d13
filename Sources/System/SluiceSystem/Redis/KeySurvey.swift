/// The names of keys with certain shapes. One pass over a database's keys serves all queries. It
/// runs in pieces, with a limit per call for large databases. Earlier results stay until the next
/// pass ends.
package final class KeySurvey {
    /// The beginning and the end of a key's name, and a part in between.
    package struct Shape: Hashable, Sendable {
        let start: [UInt8]
        let middle: [UInt8]
        let end: [UInt8]

        /// Names of such a beginning, middle and end.
        package init(_ start: String, holding middle: String = "", end: String = "") {
            (self.start, self.end) = (Array(start.utf8), Array(end.utf8))
            self.middle = Array(middle.utf8)
        }

        func fits(_ name: [UInt8]) -> Bool {
            name.count >= start.count + middle.count + end.count && name.starts(with: start)
                && name.suffix(end.count).elementsEqual(end) && holdsMiddle(name)
        }

        private func holdsMiddle(_ name: [UInt8]) -> Bool {
            guard let first = middle.first else { return true }
            let last = name.count - end.count - middle.count
            var place = start.count
            while place <= last {
                if name[place] == first, name[place...].starts(with: middle) { return true }
                place += 1
            }
            return false
        }
    }

    /// The number of keys scanned per command, which blocks the server for some milliseconds.
    private static let pieceKeys = 2500
    /// The maximum number of pieces per call.
    private static let fullRounds = 40
    /// The maximum duration of such a pass.
    private static let shortMilliseconds: Int64 = 40
    /// The maximum number of pieces for a pass that every query repeats.
    private static let fewRounds = 4
    /// After a longer one the server rests.
    private static let restFactor: Int64 = 20
    private static let restMilliseconds: Int64 = 5000

    /// The maximum number of names kept per shape.
    private static let nameLimit = 10_000

    /// Whether first rows wait: a pass goes a short way then.
    package var isHurried = false
    /// Whether one look is enough for all questions that come now.
    private var isOneLook = false
    private var shapes: [Shape] = []
    private var cursor = "0"
    private var seen: [Shape: Set<[UInt8]>] = [:]
    private var whole: [Shape: Set<[UInt8]>]?
    private var rounds = 0
    private var took: Int64 = 0
    private var lookedAt: Int64 = .min

    private let type: String?

    /// No shapes yet.
    init(type: String? = nil) { self.type = type }

    /// Answers all questions of a body by one look.
    package func once<Value>(_ body: () throws -> Value) rethrows -> Value {
        lookedAt = .min
        isOneLook = true
        defer { isOneLook = false }
        return try body()
    }

    /// Looks for shapes from now on, in the same passes.
    package func watch(_ new: [Shape]) {
        let missing = new.filter { !shapes.contains($0) }
        guard !missing.isEmpty else { return }
        shapes += missing
        (cursor, seen, lookedAt) = ("0", [:], .min)
    }

    package func names(
        _ shape: Shape, in redis: RedisConnection
    ) throws(RedisError) -> Set<[UInt8]> {
        watch([shape])
        try look(redis)
        return (whole?[shape] ?? []).union(seen[shape] ?? [])
    }

    private func look(_ redis: RedisConnection) throws(RedisError) {
        let began = SystemClock.monotonicMilliseconds()
        let isRested =
            rounds <= Self.fewRounds && cursor == "0"
            || began - lookedAt >= max(Self.restMilliseconds, took * Self.restFactor)
        guard lookedAt == .min || isRested && !isOneLook else { return }
        if cursor == "0" { rounds = 0 }
        for round in 1...Self.fullRounds {
            try piece(redis)
            rounds += 1
            took = SystemClock.monotonicMilliseconds() - began
            if cursor == "0" {
                (whole, seen) = (seen, [:])
                break
            }
            if isHurried, round >= Self.fewRounds, took >= Self.shortMilliseconds { break }
        }
        lookedAt = SystemClock.monotonicMilliseconds()
    }

    private func piece(_ redis: RedisConnection) throws(RedisError) {
        let (next, names) = try redis.scan(from: cursor, count: Self.pieceKeys, type: type)
        for bytes in names {
            for shape in shapes where shape.fits(bytes) {
                guard seen[shape, default: []].count < Self.nameLimit else { continue }
                seen[shape, default: []].insert(bytes)
            }
        }
        cursor = next
    }
}
