import SluiceControl
import SluiceModel

/// Going along a tape (G6).
extension ConsoleState {
    /// Whether the action goes along a tape, and was done.
    mutating func performOnTape(_ id: Action.ID) -> Bool {
        switch id {
        case .earlier: moveOnTape(by: -1)
        case .later: moveOnTape(by: 1)
        case .muchEarlier: moveOnTape(by: -100)
        case .muchLater: moveOnTape(by: 100)
        case .detail where entryOnTape != nil:
            if let entry = entryOnTape { go(to: .moment(entry.at)) }
        default: return false
        }
        return true
    }

    private mutating func moveOnTape(by events: Int) {
        guard let place = scene?.tape else { return }
        // Keys may arrive faster than the tape loads.
        var event = place.event
        if case .event(let wanted) = tapeGoal { event = wanted }
        let wanted = event + events
        let next = min(max(0, wanted), place.count)
        if next == event {
            message = .note(events < 0 ? "this is the beginning" : place.endWords)
        }
        go(to: .event(next))
    }

    private mutating func go(to goal: TapeGoal) {
        guard goal != tapeGoal else { return }
        tapeGoal = goal
        reads.isStale = true
    }

    /// The line of view 4 that Enter goes to: on a tape alone.
    var entryOnTape: LogEntry? {
        guard scene?.tape != nil, view == .activity, page == nil,
            case .entry(let id, _)? = cursors[.activity]?.key
        else { return nil }
        return scene?.activity.first { $0.entry.id == id }?.entry
    }

    /// Applies the tape position of a load for `goal`.
    mutating func applyTape(_ place: TapePlace?, for goal: TapeGoal) {
        guard let place else { return }
        // The load resolved the time to an event number.
        if case .moment(let moment) = tapeGoal, goal == tapeGoal {
            tapeGoal = .event(place.event)
            if moment > place.at, place.event == place.count { message = .note(place.endWords) }
            if moment < place.at, place.event == 0 { message = .note("this is the beginning") }
        }
        if scene?.tape == nil, let remark = place.remark { message = .refusal(remark) }
    }

    /// Whether the error concerns a tape position. If so, reports it and keeps the former position.
    mutating func staysOnTape(_ error: QueueError) -> Bool {
        guard let place = scene?.tape, tapeGoal != .event(place.event) else { return false }
        tapeGoal = .event(place.event)
        message = .refusal(error.description)
        return true
    }

    /// Handles `at EVENT` and `at TIME`. Throws if the line is invalid.
    mutating func goTo(_ words: [String]) throws(QueueError) {
        guard let place = scene?.tape else {
            throw QueueError.notLegal(
                "at is for a tape, and this is a store", fix: "sluice FILE opens a tape")
        }
        guard words.count == 2, let goal = goal(words[1], place) else {
            throw QueueError(
                .badValue, "at takes an event or a time",
                fix: "write at 120, at 14:03:22, at +5m, at -30s or at 2026-01-31T14:03:22Z")
        }
        if case .event(let event) = goal, event > place.count {
            throw QueueError(
                .badValue, "there is no event \(event)", fix: "the last one is \(place.count)")
        }
        modal = nil
        go(to: goal)
    }

    private func goal(_ word: String, _ place: TapePlace) -> TapeGoal? {
        if let event = Int(word), !word.hasPrefix("+"), !word.hasPrefix("-") {
            return .event(event)
        }
        if word.hasPrefix("-") {
            return DurationText.milliseconds(String(word.dropFirst())).map {
                .moment(place.at + -$0)
            }
        }
        if let moment = TimeText.moment(word, now: place.at), word != "now" {
            return .moment(moment)
        }
        // A time on the visible day, in the screen's format.
        let zone = timeFormat == .utc ? .utc : zone
        let day = TimeText.parts(zone.local(place.at))
        let date =
            "\(TimeText.padded(day.year, 4))-\(TimeText.padded(day.month))-"
            + TimeText.padded(day.day)
        let time = word.utf8.count == 5 ? "\(word):00" : word
        return TimeText.rfc3339("\(date)T\(time)Z").map { .moment(zone.moment(ofLocal: $0)) }
    }
}

extension TapePlace {
    /// The message at the end of the tape.
    var endWords: String { remark ?? "this is the end of the tape" }
}
