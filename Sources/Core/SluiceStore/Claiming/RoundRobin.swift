/// When a runner served which queue, so that equal ones take turns (Q5).
package struct RoundRobin: Hashable, Sendable {
    private var numbers: [String: Int] = [:]
    /// The number of the last turn.
    private(set) var count = 0
    /// The queue that had the last turn.
    private(set) var last: String?

    /// One that served these, the longest ago first.
    package init(_ queues: [String] = []) { record(queues) }

    /// Notes which queues had their turn, the last one last.
    package mutating func record(_ served: [String]) {
        for queue in served {
            count += 1
            numbers[queue] = count
            last = queue
        }
    }

    /// The queues already served, the least recent first.
    package var served: [String] { numbers.sorted { $0.value < $1.value }.map(\.key) }

    /// Grows with every turn; 0 for a queue that had none.
    func number(of queue: String) -> Int { numbers[queue] ?? 0 }
}
