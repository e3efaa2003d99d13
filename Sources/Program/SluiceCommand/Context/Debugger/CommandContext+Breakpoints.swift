import SluiceControl
import SluiceModel
import SluiceStore

/// `break` (G1).
extension CommandContext {
    /// `break list`.
    func breakpoints() throws -> Reply {
        let (breakpoints, stops, names, now) = try read { reading in
            let stops = try reading.stops()
            let names = try reading.names(of: stops.map(\.hit.task))
            return (try reading.breakpoints(), stops, names, reading.real)
        }
        return Reply(
            .object(BreakpointJSON.object(breakpoints)),
            BreakpointText.lines(
                breakpoints, stops: stops, names: names, now: now, width: host.columns()))
    }
}
