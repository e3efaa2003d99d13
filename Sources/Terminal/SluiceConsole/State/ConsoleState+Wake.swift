import SluiceControl
import SluiceModel

/// When time alone changes the picture (K3, K4).
extension ConsoleState {
    /// Whether something on the screen counts by seconds.
    var ticks: Bool {
        guard freeze == nil, let scene, scene.tape == nil else { return false }
        if scene.hasRunning || whyCounts || flowMoves || view == .fleet { return true }
        let hour: Int64 = 3_600_000
        if view == .debugger,
            scene.debugger.contains(where: { row in
                row.until.map { $0 > self.now && $0 - self.now < hour } ?? false
            })
        {
            return true
        }
        // The offset from real time changes every second and appears in seconds.
        if storeTime.rate != 1, storeTime.offset(at: self.now).magnitude < 60_000 { return true }
        // A stopped clock has no countdown.
        guard storeTime.rate > 0 else { return false }
        let now = storeNow
        if scene.timers.contains(where: { $0.at > now && $0.at - now < hour }) { return true }
        if let run = scene.nextRun, run > now { return true }
        return scene.storePauses.contains { $0.until.map { $0 > now && $0 - now < hour } ?? false }
    }

    /// Whether the why page shows a running duration or countdown.
    private var whyCounts: Bool {
        guard freeze == nil, let scene, scene.tape == nil, case .why? = page else { return false }
        return scene.chain.contains { line in
            line.blockers.contains { $0.until != nil || $0.kind == .queuePaused }
        }
    }

    /// Whether a preview or page shows an attempt whose child may print. Output makes no notice.
    private var showsOutput: Bool {
        guard freeze == nil, let scene, scene.tape == nil, let detail = scene.detail,
            detail.line.task.running != nil, let attempt = detail.attempts.last
        else { return false }
        return attempt.outcome == nil && attempt.childPID != nil
            && (showsPreview || page?.depth == .detail)
    }

    mutating func tick(_ moment: Timestamp) {
        let former = now
        now = moment
        changed = changed.filter { $0.value > now }
        guard freeze == nil else { return }
        if let event = scene?.nextEvent, event <= now { reads.isStale = true }
        let isNewMinute = former.milliseconds / 60_000 != now.milliseconds / 60_000
        if isNewMinute, scene?.tape == nil, scene.map({ $0.taskCount > 0 }) ?? true {
            reads.isStale = true
        }
        let isNewSecond = former.milliseconds / 1000 != now.milliseconds / 1000
        if reads.trouble != nil || (isNewSecond && (whyCounts || showsOutput)) {
            reads.isStale = true
        }
    }

    /// Requests the next tick unless that tick is already requested.
    mutating func askForWake() {
        let wake = nextWake
        guard wake != lastWake else { return }
        lastWake = wake
        send(.wakeAt(wake))
    }

    private var nextWake: Timestamp? {
        var moments = [changed.values.min(), nextAlerts].compactMap { $0 }
        if freeze == nil {
            if ticks || reads.trouble != nil {
                moments.append(nextMultiple(of: 1000))
            } else {
                moments.append(nextMultiple(of: 60_000))
            }
            if !attemptsInFlight.isEmpty {
                moments.append(nextMultiple(of: Self.frameMilliseconds))
            }
            // For a past event the reload already runs.
            if let event = scene?.nextEvent, event > now { moments.append(event) }
        }
        return moments.min()
    }

    private func nextMultiple(of milliseconds: Int64) -> Timestamp {
        let rest = now.milliseconds % milliseconds
        return now + (milliseconds - (rest < 0 ? rest + milliseconds : rest))
    }
}
