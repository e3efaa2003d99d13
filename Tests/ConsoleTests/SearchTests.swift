import SluiceControl
import SluiceModel
import SluiceStore
import Testing

@testable import SluiceConsole

@Suite("Searching payloads")
struct SearchTests {
    /// Tasks where every seventh matches, including the last.
    private func store(
        tasks: Int, order: QueueOrder = .fifo,
        priority: @escaping @Sendable (Int) -> Int = { _ in 0 }
    ) throws -> MemoryStore {
        let store = MemoryStore(name: "app.db")
        try store.writeBlocking { store in
            var settings = QueueSettings()
            settings.order = order
            try store.put(
                QueueRecord(name: "big", settings: settings, createdAt: LivingScene.now))
            try store.transact(at: LivingScene.now) { mutation in
                let requests = (1...tasks).map { number in
                    var request = EnqueueRequest(
                        type: "t",
                        payload: Array((number % 7 == 0 ? "a needle" : "some hay").utf8))
                    request.priority = priority(number)
                    return request
                }
                _ = try mutation.enqueue(requests, to: "big")
            }
        }
        return store
    }

    /// Reads parts of a search until it has all; gives each page.
    private func pages(
        of store: MemoryStore, in queue: String = "big", budget: Int, hands: SearchWorkers = .one
    ) throws -> [TaskPage] {
        var request = RowsRequest()
        request.filter = try TaskFilter("text:needle")
        var pages: [TaskPage] = []
        repeat {
            let asked = request
            let page = try store.readBlocking { reader in
                let reading = try Reading(reader, now: LivingScene.now)
                var pages = try PageReader(
                    reading, queue: try reader.requireQueue(queue), filter: asked.filter,
                    hands: hands)
                pages.searchBudget = (budget, budget)
                return try pages.page(asked)
            }
            request.search = page.search
            pages.append(page)
        } while pages.last?.isCut == true && pages.count < 200
        return pages
    }

    @Test("K6 a search goes on where it was, until it has all", arguments: [1, 4, 10, 1000])
    func parts(_ budget: Int) throws {
        let pages = try pages(of: try store(tasks: 70), budget: budget)
        let all = Array(stride(from: TaskID(7), through: 70, by: 7))
        for page in pages {
            let ids = page.rows.map(\.task.id)
            #expect(ids == all.filter(Set(ids).contains) && ids == page.search?.hits.map(\.id))
        }
        #expect(pages.last?.rows.map(\.task.id) == all && pages.last?.total == 10)
        #expect(pages.last?.reachesEnd == true && pages.last?.search?.looked == 70)
        // Two parts are looked through after the first, which is in the running order.
        #expect(pages.count <= 2 + 70 / (2 * budget) + 1)
    }

    @Test("K6 what a search finds stands in the running order, wherever its rows lie")
    func order() throws {
        let store = try store(tasks: 60, order: .priority) { $0 % 10 }
        let rows = try #require(try pages(of: store, budget: 5).last?.rows)
        let expected = (1...60).filter { $0 % 7 == 0 }.sorted {
            ($1 % 10, $0) < ($0 % 10, $1)
        }
        #expect(rows.map { Int($0.task.id) } == expected)
    }

    @Test(
        "K6 two look through the rows at the same time, and each row once",
        arguments: [true, false])
    func hands(isOtherQuicker: Bool) throws {
        let store = try store(tasks: 300)
        let hands = SearchWorkers { work in
            let other = { @Sendable in try store.readBlocking { try work($0) } }
            guard isOtherQuicker else { return other }
            let found = Result { try other() }
            return { try found.get() }
        }
        let pages = try pages(of: store, budget: 40, hands: hands)
        #expect(pages.last?.search?.looked == 300 && pages.last?.total == 42)
        #expect(pages.last?.rows.count == 42 && pages.count < 7)
    }

    @Test(
        "K6 a search rests when the screen is full, and goes on as the cursor does",
        arguments: ["text:needle", "needle", "needle size<1KiB"])
    func resting(filter: String) throws {
        let bench = Bench(store: try store(tasks: 2000), now: LivingScene.now)
        bench.loadLimit = 200
        bench.press("/")
        bench.type(filter)
        bench.press("Enter")
        #expect(bench.screen.contains("only \(filter)"))
        let count = bench.state.list.page.rows.count
        #expect(count >= 3 * bench.state.layout.rowsHeight && count < 285)
        #expect(bench.state.list.page.search?.isDone == false)
        for _ in 0..<20 { bench.press("PgDn") }
        #expect(bench.state.selectedLine?.task.id == 1995)
        #expect(bench.state.list.page.rows.count == 285)
    }

    @Test("a filter that the command line saved can be used at once")
    func saved() throws {
        let bench = Bench(store: try store(tasks: 50), now: LivingScene.now)
        bench.press(":")
        bench.type("filter save few id:1-3")
        bench.press("Enter")
        let tokens = bench.takeEffects().compactMap { effect in
            if case .command(_, let token) = effect { token } else { nil }
        }
        var report = CommandReport(lines: ["@few is saved"], isFailure: false)
        report.savedFilters = ["few": "id:1-3"]
        bench.send(.commanded(token: try #require(tokens.first), report))
        bench.press("/")
        bench.type("@few")
        bench.press("Enter")
        #expect(bench.state.list.page.rows.map(\.task.id) == [1, 2, 3], "\(bench.screen)")
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
