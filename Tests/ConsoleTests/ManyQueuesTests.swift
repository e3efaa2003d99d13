import SluiceControl
import SluiceModel
import SluiceStore
import SluiceTerminalUI
import Testing

@testable import SluiceConsole

@Suite("A console beside thousands of queues")
struct ManyQueuesTests {
    private static let count = 2000

    private static func name(_ place: Int) -> String { "q\(place + 1000)" }

    private func bench(size: Size = Size(width: 100, height: 30)) throws -> Bench {
        let store = MemoryStore(name: "app.db")
        try store.transactBlocking(at: LivingScene.now) { mutation in
            let store = mutation.store
            for place in 0..<Self.count {
                try store.put(QueueRecord(name: Self.name(place), createdAt: LivingScene.now))
            }
            for place in [0, 999, 1999] {
                let requests = Array(repeating: EnqueueRequest(type: "t"), count: 2)
                _ = try mutation.enqueue(requests, to: Self.name(place))
            }
        }
        return Bench(store: store, size: size, now: LivingScene.now)
    }

    /// Expects that the queue at `place` is selected and visible, and that its list is shown.
    private func expect(_ bench: Bench, at place: Int) {
        let state = bench.state
        #expect(state.selectedQueue == Self.name(place))
        #expect(state.queueCursor.window.cursor == place && state.queueCursor.goal == nil)
        #expect(state.queueCursor.window.visible.contains(place))
        #expect(state.scene?.selected == Self.name(place) && state.scene?.queuePlace == place)
        let pane = bench.lines.map { $0.prefix(30) }
        for seen in state.queueCursor.window.visible {
            #expect(pane.contains { $0.contains(Self.name(seen)) })
        }
        #expect(state.scene?.page?.rows.count == ([0, 999, 1999].contains(place) ? 2 : 0))
    }

    @Test("the row for all queues counts failures of queues out of sight", arguments: [80, 120])
    func farFailures(width: Int) throws {
        let bench = try bench(size: Size(width: width, height: 30))
        try bench.change { writer in
            var tasks = try writer.tasks([5, 6])
            for place in tasks.indices {
                tasks[place].state = .failed(
                    Failure(at: LivingScene.ago(9), reason: "refused", startPolicy: nil))
            }
            try writer.update(tasks)
        }
        bench.send(.storeChanged)
        let row = try #require(bench.lines.first { $0.contains("∗ all") }, "\(bench.screen)")
        #expect(row.prefix { $0 != "│" }.contains("!2"), "\(bench.screen)")
    }

    @Test("K6 only the queues near those that are seen are read, and the header counts all")
    func page() throws {
        let bench = try bench()
        let height = bench.state.queueCursor.window.height
        for keys in ["", "Left", "End", "PageUp", "7", "Home", "PageDown"] {
            bench.press(keys)
            let scene = try #require(bench.state.scene)
            // View 7 is read before its charts take a row of the list.
            let rows = max(height, bench.state.queueCursor.window.height)
            let most = keys == "7" ? 3 * (rows + 1) : 3 * rows
            #expect(
                scene.queues.count <= most && scene.queues.count >= rows,
                "\(keys): \(scene.queues.count) of \(rows)")
            #expect(scene.queueCount == Self.count && scene.queueNames == nil)
            #expect(bench.lines[0].contains("6 tasks"))
        }
        #expect(bench.screen.contains("2,000 queues"))
    }

    @Test("K1 the cursor goes to both ends of the queues, by every key")
    func moving() throws {
        let bench = try bench()
        expect(bench, at: 0)
        #expect(bench.screen.contains("more"))
        bench.press("Left Down")
        expect(bench, at: 1)
        let page = bench.state.queueCursor.window.height - 1
        for step in 1...20 {
            bench.press("PageDown")
            expect(bench, at: 1 + step * page)
        }
        bench.press("End")
        expect(bench, at: Self.count - 1)
        #expect(!bench.lines.contains { $0.prefix(30).contains("more") })
        bench.press("Down Up")
        expect(bench, at: Self.count - 2)
        for step in 1...20 {
            bench.press("PageUp")
            expect(bench, at: Self.count - 2 - step * page)
        }
        bench.press("Home")
        #expect(bench.state.isAll)
        bench.press("Down")
        expect(bench, at: 0)
        bench.press("7 End")
        #expect(bench.state.selectedQueue == Self.name(Self.count - 1))
        #expect(bench.lines.contains { $0.contains(Self.name(Self.count - 1)) })
        bench.press("1")
        expect(bench, at: Self.count - 1)
    }

    @Test("K1 keys that come faster than queues are read move the cursor as far")
    func fastKeys() throws {
        let bench = try bench()
        bench.press("Left")
        bench.holdsLoads = true
        bench.press(Array(repeating: "Down", count: 300).joined(separator: " "))
        bench.releaseLoads()
        expect(bench, at: 300)
        bench.holdsLoads = true
        bench.press("End Up Home Down Down PageDown PageUp")
        bench.releaseLoads()
        expect(bench, at: 2)
    }

    @Test("K2 a wheel scrolls beyond what was read, and a click takes the queue that is seen")
    func wheel() throws {
        let bench = try bench()
        for _ in 0..<100 {
            bench.send(.input(.mouse(Mouse(.wheelDown, at: Point(x: 2, y: 5)))))
        }
        #expect(bench.state.selectedQueue == Self.name(0))
        #expect(bench.state.queueCursor.window.top == 300)
        #expect(bench.lines.contains { $0.prefix(30).contains(Self.name(301)) })
        let y = bench.state.layout.queueRowsY + 3
        bench.send(.input(.mouse(Mouse(.press(.left), at: Point(x: 5, y: y)))))
        expect(bench, at: 303)
    }

    @Test("K1 the cursor stays on its queue when others come and go before it")
    func others() throws {
        let bench = try bench()
        bench.press("Left End PageUp PageUp")
        let selected = try #require(bench.state.selectedQueue)
        let place = try #require(bench.state.queueCursor.place)
        try bench.change { store in
            for number in 0..<700 { try store.removeQueue(named: Self.name(number)) }
        }
        #expect(bench.state.selectedQueue == selected)
        #expect(bench.state.queueCursor.window.cursor == place - 700)
        #expect(bench.lines.contains { $0.prefix(30).contains(selected) })
        #expect(bench.lines[0].contains("4 tasks"))
    }

    @Test("K7 the name of any queue is completed, and chosen by a filter")
    func names() throws {
        let bench = try bench()
        bench.press(":")
        bench.type("pause q299")
        bench.press("Tab")
        #expect(bench.screen.contains("q2990  q2991"))
        bench.press("Escape /")
        bench.type("queue:q1999")
        bench.press("Enter")
        expect(bench, at: 999)
        #expect(bench.state.scene?.queueNames == nil)
    }
}
