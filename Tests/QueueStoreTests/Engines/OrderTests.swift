import SluiceModel
import SluiceStore
import Testing

@Suite("Orders and pages")
struct OrderTests {
    static let sortKeys: [SortKey?] = [
        nil, .integer(.min), .integer(-1), .integer(0), .integer(.max), .text(""), .text("\0"),
        .text("a"), .text("a\0"), .text("a\0b"), .text("ab"), .text("é"), .text("😀"),
        .text("\u{FFFF}"),
    ]

    /// Tasks that differ in everything an order may read, in every state and with all flags.
    private static func fill(_ writer: any StoreWriter, _ order: QueueOrder) throws -> [QueueTask] {
        try writer.makeQueue { $0.order = order }
        try writer.makeQueue("other") { $0.order = order }
        try writer.add(3, to: "other")
        return try writer.add(60) { task, place in
            task.position = Int64(place * 37 % 61) - 30
            task.priority = [0, 5, -5, .max, .min][place % 5]
            task.sortKey = sortKeys[place % sortKeys.count]
            task.state = Samples.states[place % Samples.states.count]
            task.type = place % 4 == 0 ? "push" : "mail"
            task.requires = place % 5 == 0 ? [.network] : []
            task.groupStart = place % 7 == 1 ? "a" : nil
            task.groupMembers = place % 3 == 0 ? ["a", "b"] : []
            task.isHeld = place % 11 == 0
        }
    }

    private static func expected(
        _ query: TaskQuery, _ tasks: [QueueTask], _ order: QueueOrder
    ) -> [TaskID] {
        let sorted = tasks.filter(query.matches).sorted { $0.orderKey(order) < $1.orderKey(order) }
        return (query.isBackwards ? sorted.reversed() : sorted).map(\.id)
    }

    /// Queries of every kind, forwards.
    private static func queries() -> [TaskQuery] {
        var all = TaskState.Name.allCases.map { TaskQuery(queue: "q", state: $0, limit: 3) }
        let flagSets: [WaitFlags] = [
            .ready, .held, .skipped, .parked, .retrying, .delayed, [.lingering, .attempted],
        ]
        all += flagSets.map { TaskQuery(queue: "q", waitFlags: $0, limit: 2) }
        for state in [TaskState.Name.waiting, .failed] {
            var query = TaskQuery(queue: "q", state: state, limit: 2)
            query.types = ["push", "none"]
            all.append(query)
            query.types = []
            all.append(query)
            query.types = nil
            query.isOffline = true
            all.append(query)
            query.isOffline = false
            query.group = "a"
            all.append(query)
            query.types = ["mail"]
            all.append(query)
        }
        all.append(TaskQuery(queue: "none", state: .waiting, limit: 5))
        return all
    }

    @Test(
        "Q1 every order is paged both ways without gap or repetition",
        arguments: Engine.all, QueueOrder.allCases)
    func pages(_ engine: Engine, _ order: QueueOrder) throws {
        let bench = try Bench(engine)
        let tasks = try bench.write { try Self.fill($0, order) }
        for query in Self.queries() {
            for (limit, isBackwards) in [
                (query.limit, false), (query.limit, true), (1000, false), (1, true),
            ] {
                var query = query
                query.limit = limit
                query.isBackwards = isBackwards
                let asked = query
                let found = try bench.read { try $0.pages(asked, order: order).map(\.id) }
                #expect(found == Self.expected(query, tasks, order), "\(query)")
            }
        }
    }

    @Test("Q1 a new order puts the waiting tasks in their new places", arguments: Engine.all)
    func newOrder(_ engine: Engine) throws {
        let bench = try Bench(engine)
        let tasks = try bench.write { try Self.fill($0, .fifo) }
        for order in [QueueOrder.key, .lifo, .priority, .fifo, .key] {
            try bench.write { writer in
                var queue = try writer.requireQueue("q")
                queue.settings.order = order
                try writer.put(queue)
            }
            for query in Self.queries() {
                let found = try bench.read { try $0.pages(query, order: order).map(\.id) }
                #expect(found == Self.expected(query, tasks, order), "\(order) \(query)")
            }
        }
    }

    @Test(
        "D7 a moved, prioritised or renamed task is found at its new place",
        arguments: Engine.all, QueueOrder.allCases)
    func moved(_ engine: Engine, _ order: QueueOrder) throws {
        let bench = try Bench(engine)
        var tasks = try bench.write { try Self.fill($0, order) }
        for place in tasks.indices where place % 3 != 0 {
            tasks[place].position = 1000 - tasks[place].position
            tasks[place].priority = place % 7
            tasks[place].sortKey = Self.sortKeys[(place + 5) % Self.sortKeys.count]
            tasks[place].type = place % 2 == 0 ? "push" : "mail"
            tasks[place].state = Samples.states[(place + 9) % Samples.states.count]
            tasks[place].groupMembers = place % 2 == 0 ? ["a"] : ["c"]
            tasks[place].groupStart = nil
        }
        let changed = tasks
        try bench.write { try $0.update(changed) }
        for query in Self.queries() {
            let found = try bench.read { try $0.pages(query, order: order).map(\.id) }
            #expect(found == Self.expected(query, tasks, order), "\(query)")
        }
    }
}
