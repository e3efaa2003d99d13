import QueueModel

/// What was seen of the beats of processes, and when: one whose beat stays the same for long enough
/// counts as dead (A2). Moments are those of a clock that never goes back, in milliseconds.
struct BeatLedger {
    /// How often a process beats.
    static let beatMilliseconds: Int64 = 10_000
    /// How long its beat stays the same until it counts as dead.
    static let silenceMilliseconds: Int64 = 30_000

    private struct Sight {
        var beat: Int64
        var since: Int64
        var isSilent = false
    }

    private var sights: [ProcessID: Sight] = [:]

    /// Notes the beats of all attached processes; whether one of them fell silent by that.
    mutating func note(_ beats: [ProcessID: Int64], at instant: Int64) -> Bool {
        var fellSilent = false
        var next: [ProcessID: Sight] = [:]
        for (process, beat) in beats {
            var sight = sights[process] ?? Sight(beat: beat, since: instant)
            if sight.beat != beat { sight = Sight(beat: beat, since: instant) }
            let isSilent = instant - sight.since >= Self.silenceMilliseconds
            if isSilent, !sight.isSilent { fellSilent = true }
            sight.isSilent = isSilent
            next[process] = sight
        }
        sights = next
        return fellSilent
    }

    /// Whether a process counts as dead.
    func isSilent(_ process: ProcessID) -> Bool { sights[process]?.isSilent ?? false }
}
