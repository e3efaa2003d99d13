/// The network state that a runner measured (B6).
public enum NetworkState: String, Hashable, Sendable, CaseIterable {
    /// A route leads outside, and the probe address, if any, answers.
    case online
    /// No route leads into the world.
    case noRoute
    /// There is a route, but the probe address does not answer.
    case noAnswer
}

/// Why a runner counts as offline (B6).
package enum OfflineCause: String, Hashable, Sendable, CaseIterable {
    /// It measured that no route leads into the world.
    case noRoute
    /// It measured that its probe address does not answer.
    case noAnswer
    /// A handler found no network, for a time (A3).
    case handler

    /// The cause in words.
    package var words: String {
        switch self {
        case .noRoute: "no route leads into the world"
        case .noAnswer: "its probe address does not answer"
        case .handler: "a handler found no network"
        }
    }

    /// The cause in a word or two, for a column.
    package var briefly: String {
        switch self {
        case .noRoute: "no route"
        case .noAnswer: "no answer"
        case .handler: "offline"
        }
    }
}

extension ProcessRecord {
    /// How long it counts as offline after a handler found no network (A3).
    package static let offlineMilliseconds: Int64 = 30_000

    /// The reason why it counts as offline at `now`, or `nil`. Its measurement takes precedence
    /// over a handler's report.
    package func offlineCause(at now: Timestamp) -> OfflineCause? {
        switch network {
        case .noRoute: return .noRoute
        case .noAnswer: return .noAnswer
        case .online, nil: break
        }
        // After a clock moved back, keep the runner offline no longer than the limit.
        guard let offlineUntil, offlineUntil > now,
            offlineUntil - now <= Self.offlineMilliseconds
        else { return nil }
        return .handler
    }

    /// Whether it counts as offline at `now`.
    package func isOffline(at now: Timestamp) -> Bool { offlineCause(at: now) != nil }

    /// Whether it meets a task's requirement: a forced state goes before the measured one (B6).
    package func meets(
        _ requirements: Set<Requirement>, forced: Bool?, at now: Timestamp
    ) -> Bool { requirements.isEmpty || (forced ?? !isOffline(at: now)) }
}

/// The network as all who look see it: what a person forced, else what the runners measured.
package enum NetworkView: Hashable, Sendable {
    /// A person forced it, on or off.
    case forced(Bool)
    /// Without attached runners, or with all of them online.
    case online
    /// Some of the attached runners are offline.
    case offline(Int, of: Int)

    /// Creates the store's view from its processes; only working runners count.
    package init(forced: Bool?, processes: [ProcessRecord], now: Timestamp) {
        if let forced {
            self = .forced(forced)
            return
        }
        let working = processes.filter(\.isWorking)
        let offline = working.count { $0.isOffline(at: now) }
        self = offline == 0 ? .online : .offline(offline, of: working.count)
    }
}
