import SluiceControl
import SluiceModel
import SluiceSQL
import SluiceStore
import SluiceSystem

/// A part of D: a filter by a value of the payload over 1,000,000 tasks, in the console.
struct FilterWork {
    let bench: Workbench
    /// Longer than what may pass between two hits.
    private static let quietMilliseconds = 1500

    func measure(_ tell: (Figure) throws -> Void) throws {
        let path = try fill(bench.amount(1_000_000))
        defer { try? Files.remove(path) }
        let title = "a filter by payload over 1,000,000 tasks"
        var first = Figure(
            id: "D", title: "\(title), first hit", unit: "ms", goal: .atMost(16))
        var whole = Figure(
            id: "D", title: "\(title), all looked through", unit: "ms", goal: .atMost(1000))
        for _ in 0..<bench.repetitions {
            let screen = try Screen(
                try bench.programs().sluice, ["--store", path, "--read-only"])
            _ = try screen.wait(for: ConsoleSession.mark)
            try screen.settle()
            for byte in "/payload.user.id=7".utf8 { _ = try screen.press([byte], quiet: 5) }
            try bench.bringIntoMemory(path)
            // Between the first hit and the last one nothing may be drawn for all of it.
            let answer = try screen.press([13], quiet: Self.quietMilliseconds)
            first.samples.append(Figure.Sample(value: answer.first))
            whole.samples.append(Figure.Sample(value: answer.last))
        }
        try tell(first)
        try tell(whole)
    }

    /// Creates a store where only the first and last task match.
    private func fill(_ count: Int) throws -> String {
        let (store, path) = try bench.newStore()
        defer { store.close() }
        for start in stride(from: 0, to: count, by: 10_000) {
            let numbers = start..<min(start + 10_000, count)
            let requests = numbers.map { number in
                let user = number == 0 || number == count - 1 ? 7 : 1000 + number
                return EnqueueRequest(
                    type: "\(ConsoleSession.mark)\(number % 4)",
                    payload: Array("{\"user\":{\"id\":\(user)},\"name\":\"kim\"}".utf8))
            }
            try Workbench.enqueue(requests, to: "q", store)
        }
        return path
    }
}
