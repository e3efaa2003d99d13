import SluiceModel

/// Counts the messages of a held queue that its consumers got without a step.
///
/// Every few seconds the broker collects the counts of all channels of a node together. The number
/// of deliveries, minus the keeper's, is exact at that moment, also while messages arrive.
///
/// A mark is an order of the keeper to itself: counts that include it were collected after it. In a
/// cluster the consumers' nodes may collect later than the keeper's, so a second mark follows the
/// first one.
struct RabbitSlips {
    struct Collected: Equatable {
        var ofQueue: Int64
        /// The deliveries to the keeper's channel that it acknowledges, of all its queues.
        var toKeeper: Int64
        /// The orders to the keeper.
        var orders: Int64
    }

    private static let marksOfCount = 2

    /// The number since the hold; `nil` before the first count.
    private(set) var slipped: Int64?
    /// Whether a count is due.
    var isOpen: Bool { rest > 0 }

    /// The number from before the present connection.
    private var earlier: Int64
    /// The deliveries to consumers without a step, before counting began.
    private var start: Int64?
    private var rest = Self.marksOfCount
    /// The orders that came before the last mark and with it; nil while a mark is due.
    private var mark: Int64?
    private var passedAtMark: Int64 = 0
    private var orders: Int64 = 0
    private var passed: Int64 = 0
    private var aside: Int64 = 0
    private var ended: Int64 = 0
    private var last: Int64 = 0

    /// Counts on a new connection of a keeper; `slipped` is the number of the former ones.
    init(after slipped: Int64? = nil) { (self.slipped, earlier) = (slipped, slipped ?? 0) }

    /// An order came to the keeper.
    mutating func hear(isMark: Bool) {
        orders += 1
        guard isMark else { return }
        mark = orders
        if rest == Self.marksOfCount { passedAtMark = passed }
    }

    /// A task of the side queue came to the keeper.
    mutating func takeAside() { aside += 1 }

    /// Messages of the queue came to a connection of the keeper that ends.
    mutating func takeApart(_ count: Int) { ended += Int64(count) }

    /// A step has ended. A mark is due.
    mutating func step(isTaken: Bool) {
        if isTaken { passed += 1 }
        guard start != nil else { return }
        (rest, mark) = (Self.marksOfCount, nil)
    }

    /// Takes the broker's counts in. Returns whether a mark is due.
    mutating func take(_ counts: Collected) -> Bool {
        if counts.ofQueue < last {
            // The broker has begun its counts anew.
            (start, earlier, rest) = (nil, slipped ?? 0, Self.marksOfCount)
            (mark, last) = (nil, 0)
            return true
        }
        last = counts.ofQueue
        guard isOpen, let mark, counts.orders >= mark else { return false }
        let toConsumers = counts.ofQueue - (counts.toKeeper - aside) - ended
        rest -= 1
        self.mark = nil
        if let start {
            slipped = max(slipped ?? 0, earlier + toConsumers - start - passed)
        } else if rest == 0 {
            // Some steps since the first mark may be missing in the counts.
            start = toConsumers - passedAtMark
            slipped = earlier
        }
        return isOpen
    }
}

extension RabbitSystem {
    /// The key of the number in the arguments of the queue that carries it.
    static let slippedKey = "sluice-slipped"

    /// The broker's counts for the keeper of a queue; nil before it has any, or if it collected new
    /// ones in between.
    func collected(_ queue: String, _ channel: String) throws -> RabbitSlips.Collected? {
        func ofKeeper() throws -> JSONValue? {
            try management.get(["channels", channel])?["message_stats"]
        }
        guard let first = try ofKeeper(),
            let told = try management.get(
                ["queues", vhost, queue], query: "?columns=message_stats.deliver_get"),
            let second = try ofKeeper(), first["deliver"] == second["deliver"],
            first["deliver_no_ack"] == second["deliver_no_ack"]
        else { return nil }
        return RabbitSlips.Collected(
            ofQueue: told["message_stats"]?["deliver_get"]?.integer ?? 0,
            toKeeper: second["deliver"]?.integer ?? 0,
            orders: second["deliver_no_ack"]?.integer ?? 0)
    }

    /// The name of a keeper's channel; nil while the broker does not list it.
    func channel(ofKeeper queue: String) throws -> String? {
        let told = try management.get(["queues", vhost, RabbitPlaces.keeper(queue)])
        return told?["consumer_details"]?.array?.first?["channel_details"]?["name"]?.string
    }

    /// Stores the number in the arguments of a separate queue, because the arguments of the held
    /// queue cannot change.
    func keepSlipped(_ count: Int64, of queue: String) throws {
        let (place, link) = (RabbitPlaces.slipped(queue), try session())
        try link.delete(place, isForced: true)
        try link.declareDurable(place, [Self.slippedKey: .integer(count)])
    }
}
