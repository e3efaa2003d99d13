import SluiceModel
package import SluiceStore
import SluiceSystem

/// Who looks through rows: one reader one part after the other, or two at the same time.
package struct SearchWorkers: Sendable {
    /// Looks through some of a part.
    package typealias Work = @Sendable (any StoreReader) throws -> RowFinding

    private let aside: (@Sendable (@escaping Work) -> @Sendable () throws -> RowFinding)?

    /// Two workers for a search. `aside` starts the second one immediately with another reader, and
    /// the returned closure waits for its result.
    package init(
        aside: @escaping @Sendable (@escaping Work) -> @Sendable () throws -> RowFinding
    ) {
        self.aside = aside
    }

    private init() { aside = nil }

    package static let one = SearchWorkers()

    /// The matches, and the rows left to scan.
    struct Findings {
        var found: [TaskID] = []
        var looked = 0
        var left: [ClosedRange<TaskID>] = []
    }

    /// Scans parts of the rows, up to the limit of the search. Each worker takes a few rows at a
    /// time, so that no worker waits long for the other.
    func look(
        _ search: RowSearch, through parts: [ClosedRange<TaskID>], in store: any StoreReader
    ) throws -> Findings {
        let pile = SearchQueue(search, parts)
        let other = aside?({ try pile.work($0) })
        let own = Result { try pile.work(store) }
        let both = [own] + (other.map { wait in [Result { try wait() }] } ?? [])
        var findings = Findings()
        for result in both {
            let finding = try result.get()
            findings.found += finding.found
            findings.looked += finding.looked
        }
        findings.left = pile.parts
        return findings
    }
}

/// The rows that two workers share.
private final class SearchQueue: @unchecked Sendable {
    private static let pieces = 32
    private let search: RowSearch
    private let piece: Int
    private let lock = Lock()
    /// The parts without a worker. The lock guards this and the following properties.
    private(set) var parts: [ClosedRange<TaskID>]
    private var rowsLeft: Int
    private var hitsLeft: Int

    init(_ search: RowSearch, _ parts: [ClosedRange<TaskID>]) {
        self.search = search
        self.parts = parts
        piece = max(1, search.limit / Self.pieces)
        rowsLeft = search.limit
        hitsLeft = search.hitLimit
    }

    func work(_ store: any StoreReader) throws -> RowFinding {
        var all = RowFinding()
        while let piece = take() {
            let finding = try store.look(piece)
            all.found += finding.found
            all.looked += finding.looked
            let end = piece.numbers.upperBound
            lock.withLock {
                hitsLeft -= finding.found.count
                // Push it on top, so that the same worker continues there.
                if let last = finding.last, last < end { parts.append(last + 1...end) }
            }
        }
        return all
    }

    /// Some rows of a part; of its first half, if it is the only part.
    private func take() -> RowSearch? {
        lock.withLock {
            guard rowsLeft > 0, hitsLeft > 0, var part = parts.popLast() else { return nil }
            if parts.isEmpty, part.count > piece {
                let middle = part.lowerBound + Int64(part.count / 2)
                parts.append(middle...part.upperBound)
                part = part.lowerBound...middle - 1
            }
            rowsLeft -= piece
            var taken = search
            (taken.numbers, taken.limit, taken.hitLimit) = (part, piece, hitsLeft)
            return taken
        }
    }
}
