import SluiceControl
import SluiceModel
import SluiceStore

/// `break` (G1).
extension CommandContext {
    /// `break list`.
    func breakpoints() throws -> Reply {
        let (breakpoints, stops, names, gone, now) = try read { reading in
            let stops = try reading.stops()
            let names = try reading.names(of: stops.map(\.hit.task))
            let breakpoints = try reading.breakpoints()
            let gone = try breakpoints.filter { breakpoint in
                try breakpoint.filter.queue.map { try reading.store.queue(named: $0) == nil }
                    ?? false
            }
            return (breakpoints, stops, names, Set(gone.map(\.number)), reading.real)
        }
        return Reply(
            .object(BreakpointJSON.object(breakpoints)),
            BreakpointText.lines(
                breakpoints, stops: stops, withoutQueue: gone, names: names, now: now,
                width: host.columns()))
    }
}
