import SluiceModel

private typealias Option = Command.Option

extension Action {
    /// Schedule actions (R4).
    static let recurring: [Action] = [
        .setSchedule,
        Action(
            .listSchedules, .store, "schedules", "every schedule and its next moment",
            Command("schedule list")),
        .removeSchedule,
        .pauseSchedule,
        .resumeSchedule,
    ]
}
