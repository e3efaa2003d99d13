import SluiceModel

private typealias Option = Command.Option

extension Action {
    /// Schedule actions (R4).
    static let recurring: [Action] = [
        Action(
            .setSchedule, .store, "set schedule", "enqueue a task again and again",
            Command(
                "schedule set", "NAME SPEC QUEUE TYPE [PAYLOAD]",
                [.text("NAME"), .text("SPEC"), .queue, .text("TYPE"), .bytes("PAYLOAD")],
                options: [
                    Option("--time-zone", .text("ZONE"), "whose clocks a cron means (UTC)"),
                    Option(
                        "--missed", .choice(Schedule.Missed.allCases.map(\.rawValue)),
                        "moments without a worker (default once)"),
                    Option(
                        "--payload-file", .file,
                        "the payload from a file, or - for standard input"),
                ], changes: true)),
        Action(
            .listSchedules, .store, "schedules", "every schedule and its next moment",
            Command("schedule list")),
        Action(
            .removeSchedule, .store, "remove schedule", "remove a schedule",
            Command("schedule remove", "NAME", [.text("NAME")], changes: true)),
        Action(
            .pauseSchedule, .store, "pause schedule", "pause a schedule",
            Command("schedule pause", "NAME", [.text("NAME")], changes: true)),
        Action(
            .resumeSchedule, .store, "resume schedule", "resume a schedule",
            Command("schedule resume", "NAME", [.text("NAME")], changes: true)),
    ]
}
