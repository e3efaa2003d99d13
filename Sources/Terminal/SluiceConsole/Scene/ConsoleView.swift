/// A view of the console, by the digit that shows it.
package enum ConsoleView: Int, Hashable, Sendable, CaseIterable {
    /// The places of a fleet, which have no tab.
    case fleet = 0
    case inventory = 1
    case groups = 2
    case timers = 3
    case activity = 4
    case failures = 5
    case runners = 6
    case queues = 7
    case debugger = 8
    case flow = 9

    package static let allCases: [ConsoleView] = [
        .inventory, .groups, .timers, .activity, .failures, .runners, .queues, .debugger, .flow,
    ]

    /// The word in the line of tabs.
    package var name: String {
        switch self {
        case .inventory: "inventory"
        case .groups: "groups"
        case .timers: "timers"
        case .activity: "activity"
        case .failures: "failures"
        case .runners: "workers"
        case .queues: "queues"
        case .debugger: "debug"
        case .flow: "flow"
        case .fleet: "places"
        }
    }

    /// The word where the line of tabs has less room.
    var shortName: String {
        switch self {
        case .inventory: "inv"
        case .groups: "grp"
        case .timers: "tmr"
        case .activity: "act"
        case .failures: "fail"
        case .runners: "work"
        case .queues: "que"
        case .debugger: "dbg"
        case .flow, .fleet: name
        }
    }

    /// Whether a row is about a task that a preview can show.
    var hasPreview: Bool { [.inventory, .timers, .failures, .runners].contains(self) }

    /// Whether it is about the whole store and has the whole width.
    var isWhole: Bool { listsQueues || self == .debugger || self == .fleet }

    var listsQueues: Bool { self == .queues || self == .flow }

    /// The view after this one, round and round.
    var next: ConsoleView {
        let all = Self.allCases
        let place = all.firstIndex(of: self) ?? 0
        return all[(place + 1) % all.count]
    }

    /// The view before this one, round and round.
    var previous: ConsoleView {
        let all = Self.allCases
        let place = all.firstIndex(of: self) ?? 0
        return all[(place + all.count - 1) % all.count]
    }
}
