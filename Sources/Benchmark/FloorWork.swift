/// What a program in C needs that does the same with as few commits as there can be: what a goal
/// leaves for all that a queue does beside its rows.
struct FloorWork: Work {
    static let rows = ["F"]
    let bench: Workbench

    func measure(_ tell: (Figure) throws -> Void) throws {
        for tables in [RawLoop.Tables.bare, .own] {
            try tell(try producers(tables))
            try tell(try strict(tables))
        }
        try tell(try wake())
    }

    /// W1: 64 threads whose rows share commits.
    private func producers(_ tables: RawLoop.Tables) throws -> Figure {
        var figure = Figure(
            id: "F", title: "W1, 64 threads in C, \(tables.name)", unit: "tasks/s")
        for _ in 0..<bench.repetitions {
            let (one, loop) = (try bench.raw(tables), try bench.raw(tables))
            defer {
                one.close()
                loop.close()
            }
            let base = try bench.inserted(.bare, count: bench.amount(4000), each: 1)
            let own = try one.insert(first: 1, count: bench.amount(4000))
            let value = try loop.insert(threads: 64, count: bench.amount(64_000))
            figure.samples.append(Figure.Sample(value: value, bare: base, own: own))
        }
        return figure
    }

    /// W3 `block`: one commit settles a task and claims the next.
    private func strict(_ tables: RawLoop.Tables) throws -> Figure {
        var figure = Figure(
            id: "F", title: "W3, one commit for each task in C, \(tables.name)",
            unit: "tasks/s")
        let count = bench.amount(10_000)
        for _ in 0..<bench.repetitions {
            let rates = try [(RawLoop.Tables.bare, false), (.own, false), (tables, true)].map {
                tables, isFused in
                let loop = try bench.raw(tables)
                defer { loop.close() }
                _ = try loop.insert(first: 1, count: count, each: count)
                return try loop.drain(limit: count, isFused: isFused)
            }
            figure.samples.append(
                Figure.Sample(value: rates[2], bare: rates[0], own: rates[1]))
        }
        return figure
    }

    /// W4: whoever enqueues claims in the same commit, and a datagram wakes the other process.
    private func wake() throws -> Figure {
        var figure = Figure(id: "F", title: "W4, one commit and a datagram in C", unit: "ms")
        let count = bench.amount(400)
        for _ in 0..<bench.repetitions {
            let times = try [true, false].map { claims in
                let loop = try bench.raw(.bare)
                defer { loop.close() }
                return try loop.wake(first: 1, count: count, claims: claims).percentile(50)
            }
            figure.samples.append(Figure.Sample(value: times[1], bare: times[0], own: nil))
        }
        return figure
    }
}
