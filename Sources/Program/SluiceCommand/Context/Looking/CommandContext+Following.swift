import SluiceControl
import SluiceModel
import SluicePlatform
import SluiceStore

/// Commands that follow changes until interrupted.
extension CommandContext {
    /// Writes each event as it comes; `watch` begins with every queue at a glance.
    func follow(_ following: Following) throws {
        try refuseWaitingOnTape(fix: "log shows what happened")
        if case .alerts(let call) = following { return try followAlerts(call) }
        let wake = try EventSignal()
        let throttle = ReadThrottle(try store())
        let observation = try store().observe(at: throttle) { wake.signal() }
        var isNotified = true
        var last: LogPlace
        var (isClose, filter) = (false, LogFilter())
        switch following {
        case .log(let call):
            isClose = call.isClose
            let (lines, end, wanted) = try read { reading in
                let wanted = try call.filter(in: reading)
                let (lines, end) = try reading.log(
                    wanted, limit: call.limit ?? LogCall.usualLimit, isClose: call.isClose)
                return (try EventLine.all(of: lines, reading), end, wanted)
            }
            (last, filter) = (end, wanted)
            try write(lines)
        case .watch, .alerts:
            let (overviews, inbox, names, now, real, newest) = try read { reading in
                let queues = try reading.queues()
                return (
                    queues, try reading.store.inbox(),
                    try reading.names(of: queues.flatMap(\.pauses).namedTasks), reading.now,
                    reading.real, try reading.log(limit: 0).end
                )
            }
            last = newest
            if !common.isJSON, !common.isQuiet {
                let lines = QueueText.lines(
                    overviews, inbox: inbox, names: names, now: now, real: real,
                    width: host.columns())
                try host.write(SafeText.printed(lines), .output)
            }
        }
        while true {
            if observation.isNotified != isNotified {
                isNotified.toggle()
                try write(isNotified)
            }
            _ = try Poll.wait(
                fds: [PollInterest(wake.descriptor.number)], timeoutMilliseconds: nil)
            wake.drain()
            try writeNews(after: &last, filter, isClose: isClose, throttle)
        }
    }

    /// Reports on standard error that the system's notices of changes stop or return.
    private func write(_ isNotified: Bool) throws {
        let text = isNotified ? "the store is watched again" : QueueError.notWatched.description
        try host.write(SafeText.printed(["sluice: \(text)"]), .errors)
    }

    /// Writes all that is new, a part at a time, each as the pace allows.
    private func writeNews(
        after last: inout LogPlace, _ filter: LogFilter, isClose: Bool, _ throttle: ReadThrottle
    ) throws {
        let limit = 1000
        while true {
            let place = last
            let (lines, end) = try read { reading in
                let (lines, end) = try reading.log(
                    behind: place, limit: limit, isClose: isClose, withUndo: filter.withUndo)
                let wanted = lines.filter { filter.includes($0.entry) }
                return (try EventLine.all(of: wanted, reading), end)
            }
            last = end
            try write(lines)
            let new = max(end.sequence - place.sequence, end.task - place.task)
            guard new >= limit else { return }
            _ = try Poll.wait(fds: [], timeoutMilliseconds: throttle.rest())
        }
    }

    private func write(_ lines: [EventLine]) throws {
        guard !lines.isEmpty else { return }
        let text =
            common.isJSON
            ? lines.map { $0.json.text + "\n" }.joined() : SafeText.printed(lines.map(\.line))
        try host.write(text, .output)
    }
}
