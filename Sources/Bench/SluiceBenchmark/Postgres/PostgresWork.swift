import SluiceControl
import SluiceModel
import SluiceRunner
import SluiceSQL
import SluiceStore
import SluiceSystem
import SluiceTestSupport

/// PG: a durable store on a PostgreSQL server, compared with plain SQL on the same server.
struct PostgresWork: Work {
    static let rows = ["PG"]
    let bench: Workbench

    func measure(_ tell: (Figure) throws -> Void) throws {
        guard PostgresServer.programs != nil else {
            var figure = Figure(id: "PG", title: "PostgreSQL", unit: "")
            figure.absence = "not installed: apt-get install postgresql"
            return try tell(figure)
        }
        let server = try PostgresServer(at: PostgresServer.Place(isDurable: true))
        try tell(enqueueOne(server))
        try tell(enqueueMany(server))
        for way in PostgresFloor.Way.allCases { try tell(floor(server, way)) }
        for workers in [4, 8] { try tell(drain(server, workers: workers)) }
        for peer in PeerWork.atPostgres { try tell(drain(server, beside: peer)) }
        try tell(wake(server))
        try tell(wakeFloor(server))
        try tell(wakeFloorOfRules(server))
        for figure in try manyQueues(server) { try tell(figure) }
        try tell(idle(server))
    }

    /// A separate store on the server with one queue `q`, which keeps no finished tasks.
    static func store(
        _ server: PostgresServer, _ settings: [SettingChange] = []
    ) throws -> (store: PostgresStore, address: String) {
        let name = server.newName()
        try server.run("CREATE DATABASE \(name)")
        let address = server.address(name)
        let store = try PostgresStore.open(address: address, createIfMissing: true)
        try Workbench.control(store).performBlocking(
            .setQueue("q", [.keepFinished(.none)] + settings))
        return (store, address)
    }

    func figure(_ title: String, _ unit: String, _ goal: Figure.Goal = .none) -> Figure {
        var figure = Figure(id: "PG", title: title, unit: unit, goal: goal)
        figure.base = "SQL on libpq"
        return figure
    }

    private func enqueueOne(_ server: PostgresServer) throws -> Figure {
        var figure = figure("enqueue, one commit each", "tasks/s")
        let count = bench.amount(500)
        for _ in 0..<bench.repetitions {
            let raw = try PostgresRaw(server.address)
            try raw.make()
            let bare = try Workbench.seconds { for _ in 0..<count { try raw.insertOne() } }
            let (store, address) = try Self.store(server)
            let own = try Workbench.seconds {
                for _ in 0..<count { try Workbench.enqueue([Workbench.request()], to: "q", store) }
            }
            store.close()
            try prove(address, waiting: count)
            figure.samples.append(sample(count, own, bare))
        }
        return figure
    }

    private func enqueueMany(_ server: PostgresServer) throws -> Figure {
        var figure = figure("enqueue 10000 in one commit", "tasks/s")
        let count = bench.amount(10_000)
        for _ in 0..<bench.repetitions {
            let raw = try PostgresRaw(server.address)
            try raw.make()
            let bare = try Workbench.seconds { try raw.insert(count) }
            let (store, address) = try Self.store(server)
            let requests = (0..<count).map { _ in Workbench.request() }
            let own = try Workbench.seconds { try Workbench.enqueue(requests, to: "q", store) }
            store.close()
            try prove(address, waiting: count)
            figure.samples.append(sample(count, own, bare))
        }
        return figure
    }

    private func drain(_ server: PostgresServer, workers: Int) throws -> Figure {
        var figure = figure(
            "drain, \(workers) workers of 64 slots, to claim-100/settle-100", "tasks/s",
            .atLeast(0.5))
        let count = bench.amount(20_000)
        for _ in 0..<bench.repetitions {
            let bare = try drainRaw(server, count, workers: workers)
            let own = try drainOwn(server, count, workers: workers)
            figure.samples.append(sample(count, own, bare))
        }
        return figure
    }

    /// The seconds for some rows of the raw loop's table.
    private func drainRaw(_ server: PostgresServer, _ count: Int, workers: Int) throws -> Double {
        let raw = try PostgresRaw(server.address)
        try raw.make()
        try raw.insert(count)
        return try Worker.together(workers, ["__pg-raw", server.address])
    }

    /// Sluice's rows without its rules, compared with the raw loop, with and without its lock.
    private func floor(_ server: PostgresServer, _ way: PostgresFloor.Way) throws -> Figure {
        let workers = 4
        var figure = figure(
            "drain, \(workers) times SQL on Sluice's own tables, \(way.rawValue)", "tasks/s")
        let count = bench.amount(20_000)
        for _ in 0..<bench.repetitions {
            let bare = try drainRaw(server, count, workers: workers)
            let (store, address) = try Self.store(server)
            try Workbench.enqueue((0..<count).map { _ in Workbench.request() }, to: "q", store)
            store.close()
            try PostgresFloor.prepare(address)
            let own = try Worker.together(workers, [way.word, address])
            try prove(address, waiting: 0)
            figure.samples.append(sample(count, own, bare))
        }
        return figure
    }

    /// The seconds that workers with 64 slots each need for some tasks.
    private func drainOwn(
        _ server: PostgresServer, _ count: Int, workers: Int
    ) throws -> Double {
        let (store, address) = try Self.store(server, [.concurrency(64 * workers)])
        try Workbench.enqueue((0..<count).map { _ in Workbench.request() }, to: "q", store)
        store.close()
        let seconds = try Worker.together(workers, ["__pg-worker", address])
        try prove(address, waiting: 0)
        return seconds
    }

    /// The same work by another task queue on the same server.
    private func drain(_ server: PostgresServer, beside peer: String) throws -> Figure {
        let workers = 4
        var figure = figure(
            "drain, \(workers) workers of 64 slots, to \(peer)", "tasks/s", .atLeast(1))
        figure.base = peer
        let peers = PeerWork(bench: bench)
        figure.absence = try peers.absence(of: peer)
        if figure.absence != nil { return figure }
        let count = bench.amount(20_000)
        for _ in 0..<bench.repetitions {
            let name = server.newName()
            try server.run("CREATE DATABASE \(name)")
            // As long a time with a tenth of the tasks.
            let rate = try peers.rate(
                peer, "W3", count / 10,
                environment: [
                    "PEER_SERVER=\(server.folder) postgres \(name)", "PEER_WORKERS=\(workers)",
                    "PEER_SLOTS=64",
                ])
            let own = try drainOwn(server, count, workers: workers)
            figure.samples.append(Figure.Sample(value: Double(count) / own, bare: rate))
        }
        return figure
    }

    private func sample(_ count: Int, _ own: Double, _ bare: Double) -> Figure.Sample {
        Figure.Sample(value: Double(count) / own, bare: Double(count) / bare)
    }

    private func prove(_ address: String, waiting: Int) throws {
        let store = try PostgresStore.open(address: address, readOnly: true)
        defer { store.close() }
        let there = try store.readBlocking { try $0.counts(queue: "q").states }
        guard there[.waiting] ?? 0 == waiting, there[.running] ?? 0 == 0 else {
            throw Workbench.Untrue(
                description: "\(store.name) holds \(there), but \(waiting) should wait")
        }
    }

    private func wake(_ server: PostgresServer) throws -> Figure {
        try wake(server, "enqueue to start in an idle worker, p50", .within(1.5)) { count in
            let (store, address) = try Self.store(server)
            return try WakeWork.times(
                count: count, queue: "q", store, address, word: "__pg-starts")
        }
    }

    /// The lower bound of a wake: a claim by one statement without rules.
    private func wakeFloor(_ server: PostgresServer) throws -> Figure {
        try wake(server, "enqueue to the end of a claim in SQL on the bare table, p50") { count in
            let raw = try PostgresRaw(server.address)
            try raw.make()
            let address = server.address
            return try PostgresWake(address: address, count: count).times(
                { try raw.insertOne(isNotified: true) }, { try PostgresRaw(address) })
        }
    }

    /// The same with the rows that Sluice writes, and what its rules ask.
    private func wakeFloorOfRules(_ server: PostgresServer) throws -> Figure {
        try wake(
            server, "the same in SQL, Sluice's tables and what the rules ask, p50"
        ) { count in
            let (store, address) = try Self.store(server)
            store.close()
            let floor = try PostgresWakeFloor(address)
            return try PostgresWake(address: address, count: count).times(
                { try floor.enqueue() }, { try PostgresWakeFloor(address) })
        }
    }

    /// Medians of `times`, compared with a plain insert and its notification.
    private func wake(
        _ server: PostgresServer, _ title: String, _ goal: Figure.Goal = .none,
        _ times: (Int) throws -> [Double]
    ) throws -> Figure {
        var figure = figure(title, "ms", goal)
        figure.base = "NOTIFY"
        let count = bench.amount(200)
        for _ in 0..<bench.repetitions {
            let raw = try PostgresRaw(server.address)
            try raw.make()
            let bare = try PostgresWake(address: server.address, count: count).times {
                try raw.insertOne(isNotified: true)
            }
            figure.samples.append(
                Figure.Sample(value: try times(count).percentile(50), bare: bare.percentile(50)))
        }
        return figure
    }

    /// Runs a subcommand that the benchmark starts as a child process.
    static func serve(_ word: String, _ address: String) throws {
        if word == "__pg-raw" { return try PostgresRaw(address).drain() }
        if let way = PostgresFloor.Way.allCases.first(where: { $0.word == word }) {
            return try PostgresFloor(address, way).drain()
        }
        let store = try PostgresStore.open(address: address)
        defer { store.close() }
        if word.hasPrefix("__pg-lags") {
            let slots = Int(word.dropFirst("__pg-lags".count))
            return try MomentHandler.serve(store, by: LagHandler(), slots: slots ?? 8)
        }
        if word == "__pg-starts" { return try MomentHandler.serve(store) }
        try Worker.drain(store, slots: 64, limit: .max)
    }
}
