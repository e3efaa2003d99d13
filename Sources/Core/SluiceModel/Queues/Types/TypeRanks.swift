/// The running order of types in a queue (Q15). Each ranked type has a priority above 0, which a
/// task without a priority gets at the enqueue.
package struct TypeRanks: Hashable, Sendable {
    package struct Rank: Hashable, Sendable {
        /// The types, as the user ordered them.
        package let types: [String]
        package let priority: Int

        package init(types: [String], priority: Int) {
            (self.types, self.priority) = (types, priority)
        }
    }
    /// The distance between two ranks: room for types that come between them later.
    package static let gap = 1000
    /// How many types may be ranked.
    package static let limit = 100

    /// The ranks, the one that runs first before the others.
    package let ranks: [Rank]
    private let priorities: [String: Int]

    /// No ranks.
    package init() { (ranks, priorities) = ([], [:]) }

    /// Ranks with their priorities; `nil` if two name one type, or the priorities do not fall.
    package init?(_ ranks: [Rank]) {
        let types = ranks.flatMap(\.types)
        let falls = zip(ranks, ranks.dropFirst()).allSatisfy { $0.priority > $1.priority }
        guard types.count <= Self.limit, Set(types).count == types.count, falls,
            ranks.allSatisfy({ !$0.types.isEmpty && $0.priority > 0 })
        else { return nil }
        self.ranks = ranks
        priorities = Dictionary(
            uniqueKeysWithValues: ranks.flatMap { rank in rank.types.map { ($0, rank.priority) } })
    }

    /// The priority of tasks of a type; `nil` if it has no rank.
    package func priority(of type: String) -> Int? { ranks.isEmpty ? nil : priorities[type] }

    /// The order as `order(_:)` reads it.
    package var text: String {
        ranks.isEmpty
            ? "none" : ranks.map { $0.types.joined(separator: "=") }.joined(separator: ",")
    }
}

extension TypeRanks {
    /// Parses an order such as `network,login,push=scheme`; throws for a type named twice, and for
    /// a name that no type can have.
    package static func order(_ text: String) throws(QueueError) -> [[String]] {
        guard text != "none" else { return [] }
        var order: [[String]] = []
        var known: Set<String> = []
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            var types: [String] = []
            for word in part.split(separator: "=", omittingEmptySubsequences: false) {
                let type = Names.composed(Spelling.trimmed(word))
                try Names.check(type, of: "type")
                guard known.insert(type).inserted else {
                    throw QueueError(
                        .badValue, "--rank names the type \"\(type)\" twice",
                        fix: "a type has one rank")
                }
                types.append(type)
            }
            order.append(types)
        }
        guard known.count <= limit else {
            throw QueueError(
                .badValue, "--rank names \(known.count) types", fix: "allowed: up to \(limit)")
        }
        return order
    }

    /// The ranks of an order of valid types. Types keep their priorities as far as the order
    /// permits, so that waiting tasks keep their places. All ranks get new priorities where no
    /// number is free between two of them.
    package func changed(to order: [[String]]) -> TypeRanks {
        let groups = Array(order.reversed())
        var numbers = Self.rising(groups.map { $0.compactMap(priority).first })
        var start = groups.startIndex
        while let first = numbers[start...].firstIndex(where: { $0 == nil }) {
            let end = numbers[first...].firstIndex { $0 != nil } ?? groups.endIndex
            let below = first > 0 ? numbers[first - 1] ?? 0 : 0
            let count = end - first
            let above = end < numbers.count ? numbers[end] : nil
            let room = (above ?? .max) - below
            guard room > count else {
                numbers = groups.indices.map { ($0 + 1) * Self.gap }
                break
            }
            let step = above == nil ? Self.gap : room / (count + 1)
            for place in first..<end { numbers[place] = below + (place - first + 1) * step }
            start = end
        }
        let ranks = zip(groups, numbers).map { Rank(types: $0, priority: $1 ?? Self.gap) }
        return TypeRanks(ranks.reversed()) ?? TypeRanks()
    }

    /// A longest part of the numbers that rises; `nil` for the others.
    private static func rising(_ numbers: [Int?]) -> [Int?] {
        var best: [(length: Int, before: Int?)] = []
        for (place, number) in numbers.enumerated() {
            var found: (length: Int, before: Int?) = (number == nil ? 0 : 1, nil)
            for earlier in 0..<place {
                guard let number, let other = numbers[earlier], other < number,
                    best[earlier].length >= found.length
                else { continue }
                found = (best[earlier].length + 1, earlier)
            }
            best.append(found)
        }
        var kept = [Int?](repeating: nil, count: numbers.count)
        var place = best.indices.max { best[$0].length < best[$1].length }
        while let here = place, best[here].length > 0 {
            kept[here] = numbers[here]
            place = best[here].before
        }
        return kept
    }
}
