import SluiceControl
import SluiceModel
import SluiceStore
import Testing

@Suite("Filters over many tasks")
struct ManyMatchesTests {
    @Test(
        "F2 F3 what lies far behind is found where the rows lie, in the running order",
        arguments: Case.all(
            ["needle", "payload.n=11500", "text:needle -text:11900", "needle or payload.n<2"],
            on: [.memory, .sqlite]))
    func rows(_ test: Case<String>) throws {
        let bench = try Bench(test.engine)
        let requests = (1...12_000).map { number in
            request { request in
                let word = number > 11_000 && number % 100 == 0 ? " a Needle, a needle" : ""
                request.payload = Array("{\"n\": \(number), \"text\": \"hay\(word)\"}".utf8)
                request.priority = number % 3
            }
        }
        try bench.perform(.setQueue("q", [.order(.priority)]))
        _ = try bench.enqueue(requests, to: "q")
        let filter = try TaskFilter(test.value)
        let (found, behind, wanted) = try bench.read { store in
            let reading = try Reading(store, now: at(0))
            let queue = try store.requireQueue("q")
            func found(behind place: ListPlace?) throws -> [TaskID] {
                var found: [TaskID] = []
                try FilteredQueue(reading, queue, filter).each(in: [.waiting], behind: place) {
                    found.append($0.id)
                    return .goOn
                }
                return found
            }
            let all = try store.tasks(
                matching: TaskQuery(queue: "q", state: .waiting, limit: 20_000))
            let wanted = try all.filter { task in
                let payload = try store.payload(of: task.id) ?? []
                return try filter.matches(
                    task, KnownFacts(now: at(0), display: .due, payload: payload))
            }
            let whole = try found(behind: nil)
            let middle = try store.requireTask(whole[whole.count / 2])
            return (
                whole, try found(behind: ListPlace(middle, order: .priority)), wanted.map(\.id)
            )
        }
        #expect(found == wanted && !found.isEmpty)
        #expect(behind == Array(wanted.dropFirst(wanted.count / 2 + 1)))
    }
}
