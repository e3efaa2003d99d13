/// The queues that a runner served, the longest ago first, so that equal ones take turns (Q5).
struct ServiceTurn {
    /// Their names.
    private(set) var queues: [String] = []

    /// Notes which queues had their turn, the last one last.
    mutating func note(_ served: [String]) {
        guard !served.isEmpty else { return }
        let names = Set(served)
        queues.removeAll(where: names.contains)
        var seen: Set<String> = []
        queues += served.reversed().filter { seen.insert($0).inserted }.reversed()
    }
}
