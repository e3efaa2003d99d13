import SluiceConsole
import SluiceControl
import SluiceModel
import SluiceStore

/// The demo's debugger tour: a breakpoint that is hit within half a minute, and a tape of an
/// incident.
enum DemoTour {
    /// Sets a breakpoint at the second failure of a message. It expires after five minutes, so that
    /// the queue continues without the user. Returns its number.
    static func setBreakpoint(in store: any QueueStore, now: Timestamp) throws -> Int64 {
        var request = BreakRequest(try TaskFilter("queue:messages type:send"))
        request.moment = .onFailure
        (request.atHit, request.times) = (2, 1)
        request.forMilliseconds = 300_000
        let control = Control(store: store, person: "demo", now: { now }, chance: { 0.5 })
        let answer = try control.performBlocking(.setBreakpoint(request))
        return answer.breakpoints.last?.number ?? 0
    }

    /// The tour along both; `chapters` describe the tape at a path.
    static func tour(breakpoint: Int64, tape: String, _ chapters: [Tour.Chapter]) -> Tour {
        Tour(
            tape: tape, chapters: chapters, breakpoint: breakpoint,
            atStop: Hint(
                "stopped since it failed twice",
                [
                    Hint.Step("Enter", "shows both"),
                    Hint.Step("R s", "tries again"),
                    Hint.Step("r", "resumes"),
                ]),
            afterStop: Hint(
                "that was a breakpoint",
                [
                    Hint.Step("J", "opens a tape of an incident"),
                    Hint.Step("b", "sets a breakpoint of your own"),
                ]),
            afterTape: Hint(
                "back in the demonstration",
                [
                    Hint.Step("b", "sets a breakpoint"),
                    Hint.Step("f", "lets attempts fail"),
                    Hint.Step("C", "moves the clock"),
                    Hint.Step("J", "goes to the tape once more"),
                    Hint.Step("?", "shows every key"),
                ]))
    }
}
