package import SluiceModel

/// The queues that a runner may claim from, in the order of its claims (Q5).
///
/// An engine may keep it between the claims of a runner. A claim then costs only the queues that it
/// looks at, and not all queues with waiting tasks.
package final class TurnOrder {
    /// Whether it serves later claims too, so that queues without work have to leave it.
    let isKept: Bool
    private let queues: [String]?
    private let contested: [ContestedQueue]
    private var narrow = TurnHeap()
    private var wide = TurnHeap()
    /// The names of all its queues, including those in the running claim.
    private var names: Set<String> = []
    /// The queues of one task at a time that go first, the last one first.
    private var ahead: [TurnPlace] = []
    /// The queues that the running claim has looked at.
    private var taken: [TurnPlace] = []
    /// The turns of the running claim only: a reference kept longer would let the runner copy them.
    private var turn = RoundRobin()
    private var last: (name: String?, count: Int)

    /// The order of some queues, each with its settings as they are now.
    package init(
        of all: [SharedQueue], for runner: ProcessRecord, after turn: RoundRobin,
        isKept: Bool = false
    ) {
        self.isKept = isKept
        (queues, contested) = (runner.queues, runner.contested)
        last = (turn.last, turn.count)
        let served = all.filter { runner.serves($0.record.name) }.map(\.record)
        if isKept { names = Set(served.map(\.name)) }
        let places = served.map { TurnPlace($0, turn: turn.number(of: $0.name)) }.sorted()
        narrow = TurnHeap(sorted: places.filter(\.isNarrow))
        wide = TurnHeap(sorted: places.filter { !$0.isNarrow })
    }

    /// Whether it also holds for a claim of this runner after these turns, which continue the turns
    /// of the last claim.
    package func holds(for runner: ProcessRecord, after turn: RoundRobin) -> Bool {
        guard runner.queues == queues, runner.contested == contested, turn.count >= last.count
        else { return false }
        return last.name.map { turn.number(of: $0) >= last.count } ?? true
    }

    /// Adds a queue that got work.
    package func add(_ queue: QueueRecord) {
        guard queues?.contains(queue.name) ?? true,
            !contested.contains(where: { $0.queue == queue.name }),
            names.insert(queue.name).inserted
        else { return }
        put(back: TurnPlace(queue, turn: 0))
    }

    private func put(back place: TurnPlace) {
        if place.isNarrow { narrow.insert(place) } else { wide.insert(place) }
    }

    /// Begins a claim. Among queues of equal priority, those with a concurrency of 1 come first.
    /// Otherwise they would wait for a turn after each task. The first `limit` free ones do, in
    /// rotation.
    func begin(
        _ turn: RoundRobin, ahead limit: Int, where isFree: (String) throws -> Bool
    ) throws {
        (self.turn, last) = (turn, (turn.last, turn.count))
        // Among themselves they have only their turns.
        guard !wide.isEmpty else { return }
        var others: [TurnPlace] = []
        defer {
            for place in others { narrow.insert(place) }
            ahead.reverse()
        }
        while ahead.count < limit, let place = narrow.first(after: turn) {
            _ = narrow.removeFirst()
            if try isFree(place.name) { ahead.append(place) } else { others.append(place) }
        }
    }

    /// The next queues of the running claim, at most `count`.
    func next(_ count: Int, where hasWork: (String) throws -> Bool) throws -> [String] {
        var found: [String] = []
        while found.count < count, let place = first() {
            if isKept, try !hasWork(place.name) {
                names.remove(place.name)
                continue
            }
            taken.append(place)
            found.append(place.name)
        }
        return found
    }

    private func first() -> TurnPlace? {
        let (left, right) = (narrow.first(after: turn), wide.first(after: turn))
        let isNarrow = right.map { right in left.map { $0 < right } ?? false } ?? true
        let rest = isNarrow ? left : right
        // A queue that goes ahead waits only for queues of a larger priority.
        if let next = ahead.last, rest.map({ $0.priority <= next.priority }) ?? true {
            return ahead.popLast()
        }
        guard rest != nil else { return nil }
        return isNarrow ? narrow.removeFirst() : wide.removeFirst()
    }

    /// Ends a claim: all queues that it looked at are in the order again.
    func end() {
        for place in taken { put(back: place) }
        for place in ahead { put(back: place) }
        taken.removeAll(keepingCapacity: true)
        ahead.removeAll(keepingCapacity: true)
        turn = RoundRobin()
    }
}

/// The place of a queue in the claims of a runner; the smallest comes first.
struct TurnPlace: Comparable {
    var priority: Int
    var turn: Int
    var name: String
    /// Whether the queue runs one task at a time.
    var isNarrow: Bool

    init(_ queue: QueueRecord, turn: Int) {
        (priority, name, self.turn) = (queue.settings.priority, queue.name, turn)
        isNarrow = queue.settings.concurrency == 1
    }

    static func < (left: TurnPlace, right: TurnPlace) -> Bool {
        if left.priority != right.priority { return left.priority > right.priority }
        return left.turn != right.turn ? left.turn < right.turn : left.name < right.name
    }
}

/// A binary heap of places.
struct TurnHeap {
    private var places: [TurnPlace] = []

    init() {}

    /// Sorted places are a heap.
    init(sorted places: [TurnPlace]) { self.places = places }

    var isEmpty: Bool { places.isEmpty }

    mutating func insert(_ place: TurnPlace) {
        places.append(place)
        var at = places.count - 1
        while at > 0, places[at] < places[(at - 1) / 2] {
            places.swapAt(at, (at - 1) / 2)
            at = (at - 1) / 2
        }
    }

    /// The first place by the present turns. These only grow, so a place with an older turn is
    /// never too late in the heap.
    mutating func first(after turn: RoundRobin) -> TurnPlace? {
        while let first = places.first {
            let number = turn.number(of: first.name)
            guard number != first.turn else { return first }
            places[0].turn = number
            sink()
        }
        return nil
    }

    mutating func removeFirst() -> TurnPlace? {
        guard let last = places.popLast() else { return nil }
        guard let first = places.first else { return last }
        places[0] = last
        sink()
        return first
    }

    private mutating func sink() {
        var at = 0
        while true {
            var child = 2 * at + 1
            guard child < places.count else { return }
            if child + 1 < places.count, places[child + 1] < places[child] { child += 1 }
            guard places[child] < places[at] else { return }
            places.swapAt(at, child)
            at = child
        }
    }
}
