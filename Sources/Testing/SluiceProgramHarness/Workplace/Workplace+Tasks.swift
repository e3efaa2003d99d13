package import SluiceModel

/// Common steps of the tests.
extension Workplace {
    /// Enqueues tasks for the witness, one for each payload, in one commit; gives their ids.
    package func enqueue(_ queue: String, payloads: [String]) throws -> [Int64] {
        let lines = payloads.map { #"{"type":"job","payload":\#($0)}"# + "\n" }.joined()
        let answer = try json(["enqueue", queue, "--jsonl", "-"], input: lines)
        return answer["ids"]?.array?.compactMap(\.integer) ?? []
    }

    /// Enqueues tasks without anything in their payloads.
    package func enqueue(_ queue: String, count: Int) throws -> [Int64] {
        try enqueue(queue, payloads: Array(repeating: "{}", count: count))
    }

    /// The state of a queue, as JSON.
    package func queue(_ name: String) throws -> JSONValue {
        try json(["queues"])["queues"]?.array?.first { $0["name"]?.string == name } ?? .null
    }

    /// How many tasks of a queue are in a state.
    package func count(_ queue: String, _ state: String) throws -> Int64 {
        try self.queue(queue)["counts"]?[state]?.integer ?? -1
    }

    /// Whether no task of a queue waits or runs, by one answer: two answers of two moments miss a
    /// task that goes from the one state to the other between them.
    package func isWorkedOff(_ queue: String) throws -> Bool {
        let counts = try self.queue(queue)["counts"]
        return counts?["waiting"]?.integer == 0 && counts?["running"]?.integer == 0
    }

    /// The ids of a list, page by page.
    package func list(_ words: [String]) throws -> [Int64] {
        var ids: [Int64] = []
        while true {
            let after = ids.last.map { ["--after", "\($0)"] } ?? []
            let answer = try json(["list"] + words + ["--limit", "20000"] + after)
            ids += answer["tasks"]?.array?.compactMap { $0["id"]?.integer } ?? []
            guard answer["more"] == true else { return ids }
        }
    }
}
