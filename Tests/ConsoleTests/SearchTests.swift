import QueueControl
import QueueModel
import QueueStore
import Testing

@testable import Console

@Suite("Searching payloads")
struct SearchTests {
    /// Tasks of which every seventh has the letters, the last one too.
    private func store(tasks: Int) throws -> MemoryStore {
        let store = MemoryStore(name: "app.db")
        try store.writeBlocking { store in
            let mutation = Mutation(store, now: LivingScene.now)
            let requests = (1...tasks).map { number in
                EnqueueRequest(
                    type: "t",
                    payload: Array((number % 7 == 0 ? "a needle" : "some hay").utf8))
            }
            _ = try mutation.enqueue(requests, to: "big")
            try mutation.finish()
        }
        return store
    }

    @Test("K6 a search goes on where it was, until it has all", arguments: [1, 4, 10, 1000])
    func parts(_ budget: Int) throws {
        let store = try store(tasks: 70)
        var request = RowsRequest()
        request.filter = try TaskFilter("text:needle")
        var (page, reads) = (TaskPage(), 0)
        repeat {
            let asked = request
            page = try store.readBlocking { reader in
                let reading = Reading(reader, now: LivingScene.now)
                let queue = try reader.requireQueue("big")
                var pages = try PageReader(reading, queue: queue, filter: asked.filter)
                pages.searchBudget = (budget, budget)
                return try pages.page(asked)
            }
            request.search = page.search
            reads += 1
            let looked = page.search?.looked ?? 0
            let hits = Array(stride(from: TaskID(7), through: TaskID(looked), by: 7))
            #expect(page.rows.map(\.task.id) == hits)
        } while page.isCut && reads < 100
        #expect(page.rows.count == 10 && page.reachesEnd)
        #expect(reads == 70 / budget + 1)
    }

    @Test("K6 a search rests when the screen is full, and goes on as the cursor does")
    func resting() throws {
        let bench = Bench(store: try store(tasks: 2000), now: LivingScene.now)
        bench.press("/")
        bench.type("text:needle")
        bench.press("Enter")
        #expect(bench.screen.contains("only text:needle"))
        let count = bench.state.list.page.rows.count
        #expect(count >= 3 * bench.state.layout.rowsHeight && count < 285)
        #expect(bench.state.list.page.search?.isDone == false)
        for _ in 0..<20 { bench.press("PgDn") }
        #expect(bench.state.selectedLine?.task.id == 1995)
        #expect(bench.state.list.page.rows.count == 285)
    }

    @Test("K8 what matches nothing ends, and Escape takes it away")
    func nothing() throws {
        let bench = Bench(store: try store(tasks: 50), now: LivingScene.now)
        bench.press("/")
        bench.type("text:gold -text:hay")
        bench.press("Enter")
        #expect(bench.screen.contains("Nothing in big matches text:gold -text:hay"))
        bench.press("Esc")
        #expect(bench.screen.contains("row 1 of 50"))
    }

    @Test("D10 what is marked by a search is what was searched for")
    func marks() throws {
        let store = try store(tasks: 50)
        let request = CollectRequest(queue: "big", filter: try TaskFilter("text:needle type:t"))
        let targets = try store.readBlocking { reader in
            try SceneLoader(Reading(reader, now: LivingScene.now)).collect(request)
        }
        #expect(targets.map(\.id) == [7, 14, 21, 28, 35, 42, 49])
    }
}
