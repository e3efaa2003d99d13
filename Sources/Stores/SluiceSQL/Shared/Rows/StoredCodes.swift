import SluiceModel

/// The codes of states in columns; they never change.
extension TaskState.Name {
    var code: Int64 {
        switch self {
        case .waiting: 0
        case .running: 1
        case .succeeded: 2
        case .failed: 3
        case .deleted: 4
        }
    }

    init(code: Int64) throws(QueueError) {
        guard let name = Self.allCases.first(where: { $0.code == code }) else {
            throw StoredFields.damage("state \(code)")
        }
        self = name
    }
}

/// A task's requirements as bits of the column `needs`; they never change.
struct NeedBits: OptionSet {
    var rawValue: Int64

    static let required = NeedBits(rawValue: 1)
    static let network = NeedBits(rawValue: 2)
    static let unmetered = NeedBits(rawValue: 4)
    /// The requirements that an offline runner does not meet.
    static let requirements: NeedBits = [.network, .unmetered]
}

/// State-specific flags as bits of the column `marks`; they never change.
struct MarkBits: OptionSet {
    var rawValue: Int64

    static let held = MarkBits(rawValue: 1)
    static let step = MarkBits(rawValue: 2)
    static let acknowledged = MarkBits(rawValue: 4)
}

extension NeedBits {
    init(_ task: QueueTask) {
        self = []
        if task.isRequired { insert(.required) }
        for requirement in task.requires {
            switch requirement {
            case .network: insert(.network)
            case .unmetered: insert(.unmetered)
            }
        }
    }

    var requires: Set<Requirement> {
        var requires: Set<Requirement> = []
        if contains(.network) { requires.insert(.network) }
        if contains(.unmetered) { requires.insert(.unmetered) }
        return requires
    }
}

extension MarkBits {
    init(_ task: QueueTask) {
        self = []
        if task.isHeld { insert(.held) }
        if task.running?.isStep == true { insert(.step) }
        if task.isAcknowledged { insert(.acknowledged) }
    }
}
