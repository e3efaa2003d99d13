import SluiceModel
import SluiceSystem

/// Decides the state of a runner's network and when to contact its probe address; performs nothing.
///
/// Only probes have a timer: the timeout of a running probe, and the wait for the next one after a
/// failure.
struct NetworkMeter {
    enum Input: Hashable {
        /// The way into the world is now this one.
        case way(WayOut)
        /// The system no longer reports changes.
        case unheard
        /// A handler found no network.
        case asked
        /// The probe came to its end.
        case probed(Bool)
        /// Time has passed.
        case tick
    }

    enum Effect: Hashable {
        /// Ask the probe address, instead of the asking that is under way.
        case probe
        /// Let the probe under way be.
        case abandonProbe
        case tell(NetworkState)
    }

    private enum Probe: Hashable {
        case none
        case running(until: Int64)
        case waiting(until: Int64)
    }

    /// How long a probe may take.
    static let limitMilliseconds: Int64 = 5_000
    /// The longest wait between probes that fail.
    static let longestWaitMilliseconds: Int64 = 60_000

    private let hasProbe: Bool
    /// `nil` if the system does not report changes. Then a route counts as present, because its
    /// return would go unnoticed.
    private var way: WayOut?
    private var failures = 0
    private var probe = Probe.none
    private(set) var state: NetworkState

    /// A meter that begins with a way; its first tick begins the first probe. `instant` is the
    /// monotonic clock in milliseconds.
    init(way: WayOut?, hasProbe: Bool, instant: Int64) {
        self.way = way
        self.hasProbe = hasProbe
        state = way?.isThere ?? true ? .online : .noRoute
        if hasProbe, state == .online { probe = .waiting(until: instant) }
    }

    mutating func handle(_ input: Input, instant: Int64) -> [Effect] {
        switch input {
        case .way(let new):
            guard way != nil, new != way else { return [] }
            way = new
            return changed(instant)
        case .unheard:
            way = nil
            return state == .noRoute ? changed(instant) : []
        case .asked:
            guard hasProbe, state != .noRoute else { return [] }
            if case .running = probe { return [] }
            return begin(instant)
        case .probed(let isThere):
            guard case .running = probe else { return [] }
            return isThere ? succeeded() : failed(instant)
        case .tick:
            switch probe {
            case .running(let end) where end <= instant: return [.abandonProbe] + failed(instant)
            case .waiting(let end) where end <= instant: return begin(instant)
            default: return []
            }
        }
    }

    /// The time until the next timer in milliseconds, or `nil` without one.
    func sleepMilliseconds(instant: Int64) -> Int64? {
        switch probe {
        case .none: nil
        case .running(let end), .waiting(let end): max(0, end - instant)
        }
    }

    /// Reports a new route even if the state stays the same: the new route may be the working one.
    private mutating func changed(_ instant: Int64) -> [Effect] {
        failures = 0
        if way?.isThere ?? true {
            if hasProbe { return begin(instant) }
            state = .online
            return [.tell(.online)]
        }
        var effects: [Effect] = []
        if case .running = probe { effects.append(.abandonProbe) }
        probe = .none
        state = .noRoute
        return effects + [.tell(.noRoute)]
    }

    private mutating func begin(_ instant: Int64) -> [Effect] {
        probe = .running(until: instant + Self.limitMilliseconds)
        return [.probe]
    }

    private mutating func succeeded() -> [Effect] {
        (probe, failures, state) = (.none, 0, .online)
        return [.tell(.online)]
    }

    private mutating func failed(_ instant: Int64) -> [Effect] {
        let wait = min(1000 << min(Int64(failures), 6), Self.longestWaitMilliseconds)
        failures += 1
        probe = .waiting(until: instant + wait)
        guard state != .noAnswer else { return [] }
        state = .noAnswer
        return [.tell(.noAnswer)]
    }
}
