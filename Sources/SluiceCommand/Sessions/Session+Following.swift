import Platform
import QueueControl
import QueueModel
import QueueStore

/// Looks that go on until they are interrupted.
extension Session {
    /// Writes each event as it comes; `watch` begins with every queue at a glance.
    func follow(_ following: Following) throws {
        let wake = try EventSignal()
        let pace = LookingPace(try store())
        let observation = try store().observe(at: pace) { wake.signal() }
        var isTold = true
        var last: Int64
        switch following {
        case .log(let limit):
            let lines = try read { reading in
                let entries = try reading.store.journal(
                    JournalQuery(limit: max(1, limit), withUndo: false))
                return try EventLine.all(of: entries, reading)
            }
            last = lines.last?.sequence ?? 0
            try write(limit == 0 ? [] : lines)
        case .watch:
            let (overviews, inbox, now, newest) = try read { reading in
                let newest = try reading.store.journal(JournalQuery(limit: 1, withUndo: false))
                return (
                    try reading.queues(), try reading.store.inbox(), reading.now,
                    newest.last?.sequence ?? 0
                )
            }
            last = newest
            if !common.isJSON, !common.isQuiet {
                let lines = QueueText.lines(overviews, inbox: inbox, now: now)
                try host.write(lines.joined(separator: "\n") + "\n", .output)
            }
        }
        while true {
            if observation.isTold != isTold {
                isTold.toggle()
                try write(isTold)
            }
            _ = try Poll.wait(
                fds: [PollInterest(wake.descriptor.number)], timeoutMilliseconds: nil)
            wake.drain()
            try writeNews(after: &last, pace)
        }
    }

    /// Says on standard error when the system stops or begins to tell of changes.
    private func write(_ isTold: Bool) throws {
        let text = isTold ? "the store is watched again" : QueueError.notTold.description
        try host.write("sluice: \(text)\n", .errors)
    }

    /// Writes all that is new, a part at a time, each as the pace allows.
    private func writeNews(after last: inout Int64, _ pace: LookingPace) throws {
        while true {
            var query = JournalQuery(limit: 1000, withUndo: false)
            query.after = last
            let asked = query
            let lines = try read { try EventLine.all(of: try $0.store.journal(asked), $0) }
            guard let newest = lines.last else { return }
            last = newest.sequence
            try write(lines)
            guard lines.count == query.limit else { return }
            _ = try Poll.wait(fds: [], timeoutMilliseconds: pace.rest())
        }
    }

    private func write(_ lines: [EventLine]) throws {
        guard !lines.isEmpty else { return }
        let texts = lines.map { common.isJSON ? $0.json.text : $0.line }
        try host.write(texts.joined(separator: "\n") + "\n", .output)
    }
}
