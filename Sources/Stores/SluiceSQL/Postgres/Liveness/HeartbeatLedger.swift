import SluiceModel

/// The observed heartbeats of processes: a process whose heartbeat does not change for long enough
/// counts as dead (A2). Times are milliseconds of a monotonic clock.
struct HeartbeatLedger {
    /// How often a process beats.
    static let beatMilliseconds: Int64 = 10_000
    /// How long its beat stays the same until it counts as dead.
    static let silenceMilliseconds: Int64 = 30_000
    /// The lease after the last successful heartbeat. The rest of the silence is the time to stop
    /// running attempts.
    static let leaseMilliseconds: Int64 = 20_000
    /// A pause in looking that makes the observed silence of others worthless.
    static let blindnessMilliseconds: Int64 = 15_000

    private struct Sight {
        var beat: Int64
        var since: Int64
        var isSilent = false
        /// Whether its heartbeat was seen to change.
        var hasBeaten = false
    }

    private var sights: [ProcessID: Sight] = [:]
    private var lastLook: Int64?

    /// Notes the heartbeats of all attached processes; whether one of them fell silent by that.
    mutating func record(_ heartbeats: [ProcessID: Int64], at instant: Int64) -> Bool {
        let wasBlind = lastLook.map { instant - $0 > Self.blindnessMilliseconds } ?? false
        lastLook = instant
        var fellSilent = false
        var next: [ProcessID: Sight] = [:]
        for (process, beat) in heartbeats {
            var sight = sights[process] ?? Sight(beat: beat, since: instant)
            if sight.beat != beat || wasBlind {
                let hasBeaten = sight.beat != beat || sight.hasBeaten
                sight = Sight(beat: beat, since: instant, hasBeaten: hasBeaten)
            }
            let isSilent = instant - sight.since >= Self.silenceMilliseconds
            if isSilent, !sight.isSilent { fellSilent = true }
            sight.isSilent = isSilent
            next[process] = sight
        }
        sights = next
        return fellSilent
    }

    /// Whether a process was seen to renew its heartbeat and has not expired since.
    func hasBeaten(_ process: ProcessID) -> Bool {
        sights[process].map { $0.hasBeaten && !$0.isSilent } ?? false
    }

    /// The beat with which a process fell silent; nil for one that lives.
    func missedHeartbeat(of process: ProcessID) -> Int64? {
        sights[process].flatMap { $0.isSilent ? $0.beat : nil }
    }
}
