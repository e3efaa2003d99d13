import SluiceControl
import SluiceModel
import SluiceSQL
import SluiceStore
import SluiceSystem

/// A part of D: a checkpoint of 1,000,000 tasks and a restore after 10,000 changes, compared with a
/// small store.
struct DebuggedStoreWork {
    let bench: Workbench
    private static let changed = 10_000

    func measure(_ tell: (Figure) throws -> Void) throws {
        let (many, few) = (bench.amount(1_000_000), bench.amount(20_000))
        var figures = [
            ("a checkpoint taken", 10.0), ("10,000 tasks changed behind it", .infinity),
            ("10,000 changed tasks compared", .infinity), ("10,000 changed tasks restored", 500),
        ].map { title, limit in
            var figure = Figure(
                id: "D", title: "\(title), 1,000,000 tasks", unit: "ms",
                goal: limit < .infinity ? .atMost(limit) : .none)
            figure.base = "the same where 20,000 are"
            figure.goalIsOfValue = true
            return figure
        }
        for _ in 0..<bench.repetitions {
            let bare = try look(few)
            let own = try look(many)
            for place in figures.indices {
                figures[place].samples.append(Figure.Sample(value: own[place], bare: bare[place]))
            }
        }
        for figure in figures { try tell(figure) }
    }

    /// Milliseconds of each.
    private func look(_ count: Int) throws -> [Double] {
        let path = try bench.filled(count, .oneQueue)
        defer { try? Files.remove(path) }
        let store = try SQLiteStore.open(path: path)
        defer { store.close() }
        let control = Workbench.control(store)
        let targets = (1...min(Self.changed, count)).map { TaskTarget(TaskID($0)) }
        var times: [Double] = []
        for verb in [
            .takeCheckpoint(CheckpointRequest("before")), .skip(targets, forMilliseconds: nil), nil,
            .restore("before"),
        ] as [Verb?] {
            times.append(
                try Workbench.seconds {
                    if let verb {
                        try control.performBlocking(verb)
                    } else {
                        try compare(store, targets.count)
                    }
                } * 1000)
        }
        let skipped = try store.readBlocking {
            try $0.tasks(targets.map(\.id)).count { $0.waiting?.skip != nil }
        }
        guard skipped == 0 else {
            throw Workbench.Untrue(description: "\(path): \(skipped) tasks were not restored")
        }
        return times
    }

    private func compare(_ store: SQLiteStore, _ changed: Int) throws {
        let now = Workbench.now()
        let found = try store.readBlocking {
            try Reading($0, now: now).difference(from: "before", to: nil).tasks.count
        }
        guard found == changed else {
            throw Workbench.Untrue(description: "\(found) of \(changed) tasks were compared")
        }
    }
}
