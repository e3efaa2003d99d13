import SluiceModel
import SluiceStore
import Testing

@Suite("Looking through payloads")
struct SearchTests {
    @Test("K6 a page tells what of it holds the letters, and where it ended", arguments: Engine.all)
    func pages(_ engine: Engine) throws {
        let bench = try Bench(engine)
        // Payloads are {"n":1} and so on.
        try bench.write { writer in
            try writer.makeQueue()
            try writer.add(25) { task, place in if place == 4 { task.type = "other" } }
        }
        func page(
            _ text: String, limit: Int = 100, _ change: (inout TaskQuery) -> Void = { _ in }
        ) throws -> SearchPage {
            var query = TaskQuery(queue: "q", state: .waiting, limit: limit)
            change(&query)
            let asked = query
            return try bench.read { try $0.page(asked, holding: Array(text.utf8)) }
        }
        let whole = try page(":2")
        #expect(whole.tasks.map(\.id) == [2, 20, 21, 22, 23, 24, 25] && whole.looked == 25)
        let first = try page(":2", limit: 10)
        #expect(first.tasks.map(\.id) == [2] && first.looked == 10)
        let second = try page(":2", limit: 10) { $0.after = first.last }
        #expect(second.tasks.map(\.id) == [20])
        let back = try page(":2", limit: 3) { $0.isBackwards = true }
        #expect(back.tasks.map(\.id) == [25, 24, 23])
        #expect(try page("n", limit: 100) { $0.types = ["other"] }.tasks.map(\.id) == [5])
        #expect(try page("none").tasks.isEmpty && page("none").looked == 25)
        let all = try bench.read { reader in
            try reader.page(TaskQuery(queue: "q", state: .waiting, limit: 7), holding: nil)
        }
        #expect(all.tasks.map(\.id) == Array(1...7) && all.looked == 7)
    }

    private func search(
        _ numbers: ClosedRange<TaskID>, _ text: String, limit: Int = 1000, hits: Int = 1000,
        states: Set<TaskState.Name> = [.waiting]
    ) -> RowSearch {
        RowSearch(
            queue: "q", states: states, condition: .text(Array(text.utf8)), numbers: numbers,
            limit: limit, hitLimit: hits)
    }

    @Test("K6 rows are looked through as they lie, a part at a time", arguments: Engine.all)
    func rows(_ engine: Engine) throws {
        let bench = try Bench(engine)
        try bench.write { writer in
            try writer.makeQueue()
            try writer.add(25)
        }
        guard let numbers = try bench.read({ try $0.rowNumbers(ofSearchIn: "q") }) else { return }
        #expect(numbers == 1...25)
        func look(
            _ numbers: ClosedRange<TaskID>, _ text: String = ":2", limit: Int = 100,
            hits: Int = 100, states: Set<TaskState.Name> = [.waiting]
        ) throws -> RowFinding {
            let search = search(numbers, text, limit: limit, hits: hits, states: states)
            return try bench.read { try $0.look(search) }
        }
        let all = try look(numbers)
        #expect(all.found == [2, 20, 21, 22, 23, 24, 25] && all.looked == 25 && all.last == nil)
        let first = try look(numbers, limit: 20)
        #expect(first.found == [2, 20] && first.looked == 20 && first.last == 20)
        let few = try look(3...25, hits: 2)
        #expect(few.found == [20, 21] && few.last == 21)
        #expect(try look(21...25, limit: 5).last == nil)
        #expect(try look(numbers, states: [.failed]).looked == 0)
        #expect(try look(numbers, "none").found.isEmpty)
        try bench.write { writer in
            try writer.makeQueue("other")
            try writer.add(5, to: "other")
        }
        let everywhere = RowSearch(
            queue: nil, states: [.waiting], condition: .text(Array(":2".utf8)), numbers: 1...30,
            limit: 100, hitLimit: 100)
        let found = try bench.read { try $0.look(everywhere) }
        #expect(found.looked == 30 && Set(all.found).isSubset(of: Set(found.found)))
        #expect(try bench.read { try $0.rowNumbers(ofSearchIn: nil) } == 1...30)
    }

    @Test("F2 rows are found by letters, values and sizes, as values find", arguments: Engine.all)
    func conditions(_ engine: Engine) throws {
        let bench = try Bench(engine)
        try bench.write { writer in
            try writer.makeQueue()
            try writer.add(40) { task, place in
                Samples.fill(&task, place)
                task.state = Samples.states[place % Samples.states.count]
                if place % 3 == 0 { task.lastError = "No \"ROUTE\"" }
                if place % 5 == 0 { task.groupMembers = ["some\\group"] }
            }
        }
        let texts = [
            "route", "MAIL", "some\\group", "boom", "payload.n=7", "payload.n<5 -text:2",
            "route or payload.n=1", "size>7B", "text~[12]4 naïve", "-payload.n>5", "dora",
            "error:route", "error:no*route", "error:boom,route", "label:l",
        ]
        for text in texts {
            let filter = try TaskFilter(text)
            guard let condition = filter.rowCondition else {
                Issue.record("\(text) says nothing of rows")
                continue
            }
            let states = Set(TaskState.Name.allCases)
            try bench.write { writer in
                guard let numbers = try writer.rowNumbers(ofSearchIn: "q") else { return }
                let found = try writer.look(
                    RowSearch(
                        queue: "q", states: states, condition: condition, numbers: numbers,
                        limit: 100, hitLimit: 100)
                ).found
                let wanted = try writer.tasks(Array(numbers)).filter { task in
                    condition.holds(task, try writer.payload(of: task.id) ?? [])
                }.map(\.id)
                // A search in JSON text may return extra rows, but never misses one.
                #expect(Set(found).isSuperset(of: wanted), "\(text)")
                if !condition.asksTexts { #expect(found == wanted, "\(text)") }
                #expect(!wanted.isEmpty || text == "dora", "\(text)")
            }
        }
    }

    @Test("K6 a writer finds the rows that it just added", arguments: Engine.all)
    func writing(_ engine: Engine) throws {
        let bench = try Bench(engine)
        try bench.write { writer in
            try writer.makeQueue()
            try writer.add(3)
            let isLooked = try writer.rowNumbers(ofSearchIn: "q") != nil
            #expect(try writer.look(search(1...3, ":2")).found == (isLooked ? [2] : []))
        }
    }

    @Test("K6 letters are found wherever they stand in a payload", arguments: Engine.all)
    func places(_ engine: Engine) throws {
        let bench = try Bench(engine)
        let text = Array("needle".utf8)
        // Every offset in payloads of every length, around the size of vector comparisons. Each
        // match follows a partial match.
        let payloads = (0...90).map { before -> [UInt8] in
            Array("\"".utf8) + (0..<before).map { text[$0 % 5] } + text
                + Array(repeating: UInt8(ascii: "e"), count: before % 37) + Array("\"".utf8)
        }
        let misses = payloads.map { payload in
            payload.map { $0 == UInt8(ascii: "d") ? UInt8(ascii: "D") : $0 }
        }
        try bench.write { writer in
            try writer.makeQueue()
            for payload in payloads + misses {
                let id = try writer.reserveTaskIDs(1)
                let task = QueueTask(id: id, queue: "q", type: "t", position: id, createdAt: at(0))
                try writer.insert([NewTask(task: task, payload: payload)])
            }
        }
        let all = TaskQuery(queue: "q", state: .waiting, limit: 1000)
        let wanted = Array(1...Int64(payloads.count))
        #expect(try bench.read { try $0.page(all, holding: text) }.tasks.map(\.id) == wanted)
        guard let numbers = try bench.read({ try $0.rowNumbers(ofSearchIn: "q") }) else { return }
        let found = try bench.read { try $0.look(search(numbers, "needle")) }.found
        #expect(found == wanted)
    }

    @Test("a queue that is a small part of its store is searched in its own order")
    func smallPart() throws {
        let bench = try Bench(.sqlite)
        try bench.write { writer in
            try writer.makeQueue()
            try writer.makeQueue("large")
            try writer.add(2)
            try writer.add(5, to: "large")
        }
        #expect(try bench.read { try $0.rowNumbers(ofSearchIn: "q") } == nil)
        #expect(try bench.read { try $0.rowNumbers(ofSearchIn: "large") } != nil)
    }

    @Test("a large payload, which lies by itself, is looked through as well", arguments: Engine.all)
    func largePayloads(_ engine: Engine) throws {
        let bench = try Bench(engine)
        try bench.write { writer in
            try writer.makeQueue()
            let id = try writer.reserveTaskIDs(1)
            let task = QueueTask(id: id, queue: "q", type: "t", position: id, createdAt: at(0))
            let payload = Array("\"\(String(repeating: "x", count: 200_000))needle\"".utf8)
            try writer.insert([NewTask(task: task, payload: payload)])
        }
        let query = TaskQuery(queue: "q", state: .waiting, limit: 5)
        let found = try bench.read { try $0.page(query, holding: Array("xneedle".utf8)) }
        #expect(found.tasks.count == 1)
    }
}
