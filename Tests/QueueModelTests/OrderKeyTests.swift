import SluiceModel
import Testing

@Suite("Order keys")
struct OrderKeyTests {
    static let positions: [Int64] = [.min, -256, -1, 0, 1, 255, 256, .max]
    static let priorities = [Int.min, -1, 0, 1, 1000, .max]
    static let sortKeys: [SortKey?] = [
        .integer(.min), .integer(-1), .integer(0), .integer(256), .integer(.max), .text(""),
        .text("\0"), .text("\0\0"), .text("\0a"), .text("\u{1}"), .text("a"), .text("a\0"),
        .text("a\0b"), .text("aa"), .text("b"), .text("é"), .text("\u{FFFF}"), .text("😀"), nil,
    ]

    private static func task(_ position: Int64, _ priority: Int, _ key: SortKey?) -> QueueTask {
        var task = QueueTask(id: 1, queue: "q", type: "t", position: position, createdAt: at(0))
        task.priority = priority
        task.sortKey = key
        return task
    }

    /// Whether `left` runs before `right`, straight from the rule.
    private static func runsBefore(_ left: QueueTask, _ right: QueueTask, _ order: QueueOrder)
        -> Bool
    {
        switch order {
        case .fifo: return left.position < right.position
        case .lifo: return left.position > right.position
        case .priority:
            if left.priority != right.priority { return left.priority > right.priority }
        case .key:
            if left.sortKey != right.sortKey { return precedes(left.sortKey, right.sortKey) }
        }
        return left.position < right.position
    }

    private static func precedes(_ left: SortKey?, _ right: SortKey?) -> Bool {
        switch (left, right) {
        case (.integer(let left), .integer(let right)): left < right
        case (.text(let left), .text(let right)):
            left.utf8.lexicographicallyPrecedes(right.utf8)
        case (.integer, _), (.text, nil): true
        case (.text, .integer), (nil, _): false
        }
    }

    @Test("Q1 keys compare like the order they stand for", arguments: QueueOrder.allCases)
    func compare(_ order: QueueOrder) {
        let keys = order == .key ? Self.sortKeys : [nil, .integer(1)]
        let priorities = order == .priority ? Self.priorities : [0]
        let tasks = Self.positions.flatMap { position in
            priorities.flatMap { priority in keys.map { Self.task(position, priority, $0) } }
        }
        let keyed = tasks.map { ($0, OrderKey($0, order: order)) }
        let wrong = keyed.flatMap { left in
            keyed.filter { right in
                (left.1 < right.1) != Self.runsBefore(left.0, right.0, order)
            }.map { (left.0, $0.0) }
        }
        #expect(wrong.isEmpty)
    }

    @Test("Running tasks stand by their start, ended ones newest first")
    func moments() {
        let pairs: [(Int64, TaskID)] = [(-5, 1), (0, 1), (0, 2), (7, 1), (7, .max)]
        let oldest = pairs.map { pair in
            OrderKey(
                moment: Timestamp(milliseconds: pair.0), id: pair.1, isNewestFirst: false)
        }
        let newest = pairs.map { pair in
            OrderKey(moment: Timestamp(milliseconds: pair.0), id: pair.1, isNewestFirst: true)
        }
        #expect(oldest == oldest.sorted() && newest == newest.sorted().reversed())
    }

    @Test("T2 a waiting task's lane says what keeps it")
    func flagSets() {
        var task = Self.task(1, 0, nil)
        #expect(task.waitFlags == .ready && task.wakesAt == nil)
        var waiting = Waiting(timer: WaitTimer(until: at(9), cause: .retry, since: at(0)))
        waiting.skip = Skip(by: "ann", since: at(0), until: at(5), endsWithRun: false)
        waiting.parking = Parking(cause: .handler, detail: "", since: at(0))
        waiting.lingering = Lingering(kind: .orphan, owner: 1, attempt: 1)
        waiting.attemptedInRun = true
        task.state = .waiting(waiting)
        task.isHeld = true
        #expect(task.waitFlags == [.held, .skipped, .parked, .retrying, .attempted, .lingering])
        #expect(task.wakesAt == at(5))
        #expect(task.awake(at: at(5)).wakesAt == at(9))
        #expect(task.awake(at: at(9)).waitFlags == [.held, .parked, .attempted, .lingering])
        #expect(task.awake(at: at(4)) == task)
        task.state = .failed(Failure(at: at(1), reason: "", startPolicy: nil))
        #expect(task.waitFlags == .ready)
    }

    @Test("B3 B4 a lane says whether time alone may move its tasks")
    func waking() {
        let timers: [WaitTimer?] = [
            nil, WaitTimer(until: at(9), cause: .retry, since: at(0)),
            WaitTimer(until: at(9), cause: .notBefore, since: at(0)),
        ]
        let skips: [Skip?] = [
            nil, Skip(by: "ann", since: at(0), until: at(5), endsWithRun: false),
        ]
        for timer in timers {
            for skip in skips {
                var task = Self.task(1, 0, nil)
                var waiting = Waiting(timer: timer)
                waiting.skip = skip
                waiting.attemptedInRun = true
                task.state = .waiting(waiting)
                task.isHeld = true
                #expect(task.waitFlags.mayWake == (task.wakesAt != nil))
            }
        }
        #expect(!WaitFlags.ready.mayWake)
    }

    @Test("B7 which lanes hold a block queue")
    func blocking() {
        let holding = WaitFlags.all.filter(\.holdsBlockQueue)
        #expect(holding.contains(.ready) && holding.contains(.retrying))
        #expect(holding.contains(.parked) && holding.contains([.delayed, .parked]))
        #expect(!holding.contains(.delayed) && !holding.contains([.held, .parked]))
        #expect(
            !holding.contains([.skipped, .retrying]) && holding.contains([.lingering, .attempted]))
    }
}
