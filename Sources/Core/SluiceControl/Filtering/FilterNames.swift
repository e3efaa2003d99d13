import SluiceModel
import SluiceStore

/// The parts of a filter that an engine's index can answer.
struct FilterNames {
    private let types: [String]?
    private let group: String?
    /// The session of every match.
    let session: String?

    init(_ filter: TaskFilter?) {
        types = filter?.names(of: .type).map { $0.sorted() }
        group = filter?.onlyName(of: .group)
        session = filter?.onlyName(of: .session)
    }

    /// Whether an index narrows by a name.
    var isNarrow: Bool { types != nil || group != nil || session != nil }

    /// Whether every match is of one of a few types.
    var hasTypes: Bool { types != nil && group == nil }

    /// Narrows a query by what every match has.
    func narrow(_ query: inout TaskQuery) {
        query.types = types
        query.group = group
    }
}

extension Display {
    /// Whether only waiting tasks show it.
    var isWaiting: Bool {
        switch self {
        case .next, .due, .delayed, .retrying, .held, .parked, .skipped, .blocked: true
        case .running, .stuck, .succeeded, .failed, .deleted: false
        }
    }

    /// Whether a waiting task with such flags may show it; with `isFollowing` the flags do not say
    /// yet what the end of a start left to do for its members (T2).
    func mayShow(in waitFlags: WaitFlags, isFollowing: Bool) -> Bool {
        switch self {
        case .parked: waitFlags.contains(.parked)
        case .skipped: waitFlags.contains(.skipped)
        case .retrying: waitFlags.contains(.retrying)
        case .delayed: waitFlags.contains(.delayed)
        case .held: waitFlags.contains(.held) || isFollowing
        case .due, .next: waitFlags.isDisjoint(with: [.parked, .lingering])
        // Expired tasks show as failed (Q8).
        case .blocked, .failed: true
        case .running, .stuck, .succeeded, .deleted: false
        }
    }
}
