import SluiceCRawLoop
import SluiceSystem

/// The time of an equivalent C program with minimal commits: the part of a goal that remains for
/// the queue's other work.
struct FloorWork: Work {
    static let rows = ["F"]
    let bench: Workbench

    func measure(_ tell: (Figure) throws -> Void) throws {
        for tables in [RawLoop.Tables.bare, .own] {
            try tell(try producers(tables))
            try tell(try drain(tables, atOnce: 1, "one commit for each task in C"))
            try tell(try drain(tables, atOnce: 64, "64 at a time in C"))
        }
        try tell(try wake(.bare, .told))
        try tell(try wake(.own, .handedOver))
        try tell(try wake(.own, .handedOverAsking, " and what the rules ask"))
        try tell(try million(.ownOfQueues, .manyQueues, queues: 1000))
        try tell(try million(.ownOfGroups, .groupsOfTen, queues: 1))
        try tell(try search())
        try tell(try recording())
        try tell(try largePayloads())
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

    /// W3: one commit settles some tasks and claims the next.
    private func drain(
        _ tables: RawLoop.Tables, atOnce: Int, _ title: String
    ) throws -> Figure {
        var figure = Figure(id: "F", title: "W3, \(title), \(tables.name)", unit: "tasks/s")
        let (count, loops) = (bench.amount(10_000 * min(10, atOnce)), bench.amount(10_000))
        let together = raw_turns(in_hand: Int64(atOnce), queues: 1)
        for _ in 0..<bench.repetitions {
            let rates = try [(RawLoop.Tables.bare, nil), (.own, nil), (tables, together)].map {
                tables, turns in
                let loop = try bench.raw(tables)
                defer { loop.close() }
                let count = turns == nil ? loops : count
                _ = try loop.insert(first: 1, count: count, each: count)
                return try loop.drain(limit: count, turns: turns)
            }
            figure.samples.append(
                Figure.Sample(value: rates[2], bare: rates[0], own: rates[1]))
        }
        return figure
    }

    /// W4: the enqueuing process claims in the same commit, and a datagram wakes the other process.
    private func wake(
        _ tables: RawLoop.Tables, _ handOff: RawLoop.HandOff, _ more: String = ""
    ) throws -> Figure {
        var figure = Figure(
            id: "F", title: "W4, one commit and a datagram in C, \(tables.name)\(more)",
            unit: "ms")
        let count = bench.amount(400)
        for _ in 0..<bench.repetitions {
            let pairs = [(RawLoop.Tables.bare, RawLoop.HandOff.claimed), (tables, handOff)]
            let times = try pairs.map { tables, handOff in
                let loop = try bench.raw(tables)
                defer { loop.close() }
                return try loop.wake(first: 1, count: count, handOff).percentile(50)
            }
            figure.samples.append(Figure.Sample(value: times[1], bare: times[0], own: nil))
        }
        return figure
    }

    /// W5: a drain of 64 at a time with 1,000,000 waiting tasks, compared with only the drained
    /// tasks.
    private func million(
        _ tables: RawLoop.Tables, _ shape: Workbench.Shape, queues: Int64
    ) throws -> Figure {
        var figure = Figure(
            id: "F", title: "W5, drain of 64 in C, 1,000,000 waiting \(shape.title)",
            unit: "tasks/s")
        figure.base = "the same where 1,000 wait"
        let drained = bench.amount(20_000)
        for _ in 0..<bench.repetitions {
            let rates = try [1000 + drained, bench.amount(1_000_000)].map { waiting in
                let path = try bench.filled(waiting, shape)
                let loop = try RawLoop(existing: path, tables: tables)
                defer { loop.close() }
                return try loop.drain(
                    limit: drained, turns: raw_turns(in_hand: 64, queues: queues))
            }
            figure.samples.append(Figure.Sample(value: rates[1], bare: rates[0]))
        }
        return figure
    }

    /// W9: payloads of 1 MB that are there already, four in one commit, brought into the file.
    private func largePayloads() throws -> Figure {
        var figure = Figure(
            id: "F", title: "W9, payloads of 1 MB in C, \(RawLoop.Tables.bare.name)", unit: "MB/s")
        figure.base = "cp and fsync"
        let payload = [UInt8](repeating: 0x61, count: 1_000_000)
        let count = bench.amount(300)
        for _ in 0..<bench.repetitions {
            let file = "\(bench.newPath()).payloads"
            let source = try Files.create(file)
            for _ in 0..<count { try source.writeAll(payload) }
            let copied = try Workbench.seconds { try Files.remove(try bench.copy(of: file)) }
            try Files.remove(file)
            let loop = try bench.raw(.bare)
            let time = try Workbench.seconds {
                _ = try loop.insert(first: 1, count: count, each: 4, payload)
                loop.close()
            }
            figure.samples.append(
                Figure.Sample(value: Double(count) / time, bare: Double(count) / copied))
        }
        return figure
    }

    /// D: each commit of a drain leaves the bytes that a task has on a tape, and another process
    /// moves them to a file.
    private func recording() throws -> Figure {
        var figure = Figure(
            id: "F", title: "D, drain of 64 in C beside a recording, \(RawLoop.Tables.own.name)",
            unit: "tasks/s")
        figure.base = "the same without one"
        let count = bench.amount(100_000)
        let turns = raw_turns(in_hand: 64, queues: 1)
        for _ in 0..<bench.repetitions {
            let rates = try [false, true].map { isRecorded in
                let loop = try bench.raw(.own)
                defer { loop.close() }
                _ = try loop.insert(first: 1, count: count, each: count)
                return isRecorded
                    ? try loop.drain(limit: count, turns: turns, recorded: 960)
                    : try loop.drain(limit: count, turns: turns)
            }
            figure.samples.append(Figure.Sample(value: rates[1], bare: rates[0]))
        }
        return figure
    }

    /// C3: two threads that look at each payload, and do nothing else.
    private func search() throws -> Figure {
        var figure = Figure(
            id: "F", title: "C3, all payloads looked through by two threads in C", unit: "ms")
        let count = bench.amount(1_000_000)
        let path = try bench.filled(count, .oneQueue, types: 4)
        for _ in 0..<bench.repetitions {
            try bench.bringIntoMemory(path)
            let (time, found) = try RawLoop.search(path, count: count, for: Workbench.needle)
            guard found == 2 else {
                throw Workbench.Untrue(description: "\(found) payloads were found, not 2")
            }
            figure.samples.append(Figure.Sample(value: time))
        }
        return figure
    }
}
