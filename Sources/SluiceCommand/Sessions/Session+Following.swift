import Platform
import QueueControl
import QueueModel
import QueueStore

/// Looks that go on until they are interrupted.
extension Session {
    /// Writes each event as it comes; `watch` begins with every queue at a glance.
    func follow(_ following: Following) throws {
        let wake = try EventSignal()
        let observation = try store().observe { wake.signal() }
        defer { withExtendedLifetime(observation) {} }
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
            _ = try Poll.wait(
                fds: [PollInterest(wake.descriptor.number)], timeoutMilliseconds: nil)
            wake.drain()
            try writeNews(after: &last)
        }
    }

    private func writeNews(after last: inout Int64) throws {
        while true {
            var query = JournalQuery(limit: 1000, withUndo: false)
            query.after = last
            let asked = query
            let lines = try read { try EventLine.all(of: try $0.store.journal(asked), $0) }
            guard let newest = lines.last else { return }
            last = newest.sequence
            try write(lines)
        }
    }

    private func write(_ lines: [EventLine]) throws {
        guard !lines.isEmpty else { return }
        let texts = lines.map { common.isJSON ? $0.json.text : $0.line }
        try host.write(texts.joined(separator: "\n") + "\n", .output)
    }
}
