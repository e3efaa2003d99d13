import SluiceModel
import SluiceStore

extension QueueTask {
    /// The times of the task that were set while the clock was ahead, one sentence each with the
    /// command that sets it anew. A time may be meant as it is, so no repair changes it.
    func timesAhead(at now: Timestamp) -> [String] {
        let name = "#\(id) \(type)"
        var found: [String] = []
        if let timer = waiting?.timer, timer.cause == .notBefore, timer.isAhead(at: now) {
            let wait = DurationText.rounded(timer.until - timer.since)
            found.append(
                "\(name) begins at \(TimeText.rfc3339(timer.until)): it was set for \(wait) later "
                    + "while the clock was ahead; sluice postpone \(id) +\(wait) counts that from "
                    + "now, sluice retry \(id) makes it due")
        }
        if let skip = waiting?.skip, let until = skip.until, until > now, skip.since - now > 60_000
        {
            found.append(
                "\(name) is skipped until \(TimeText.rfc3339(until)): that was set while the "
                    + "clock was ahead; sluice unskip \(id) takes it back in")
        }
        if let expiresAt, waiting != nil, createdAt - now > 60_000, expiresAt > createdAt {
            let wait = DurationText.rounded(expiresAt - createdAt)
            found.append(
                "\(name) expires at \(TimeText.rfc3339(expiresAt)): that was set while the clock "
                    + "was ahead; sluice edit \(id) --set expires=+\(wait) counts it from now")
        }
        return found
    }
}

extension StoreReader {
    /// The same of the first tasks that wait for a time or expire.
    func timesAhead(at now: Timestamp, limit: Int = 1000) throws -> [String] {
        let timed = try tasks(.timers(queue: nil), limit: limit)
        return try timed.flatMap { $0.timesAhead(at: now) }
            + expiriesAhead(at: now, limit: limit, besides: Set(timed.map(\.id)))
    }

    /// The same of the first tasks that expire, without those whose timers were read.
    func expiriesAhead(
        at now: Timestamp, limit: Int = 1000, besides known: Set<TaskID>
    ) throws -> [String] {
        try tasks(.expiring(), limit: limit).filter { !known.contains($0.id) }
            .flatMap { $0.timesAhead(at: now) }
    }
}
