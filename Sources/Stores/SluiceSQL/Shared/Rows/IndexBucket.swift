import SluiceModel

/// The column `lane`: a task's bucket within its queue. One index then finds every state, every set
/// of wait flags, and the ready tasks of the queue's main type (K6).
///
/// A waiting task has its `WaitFlags`, plus `otherType` if its type is not the queue's main one.
/// Any other task has its state's code, negated. The numbers never change.
enum IndexBucket {
    /// Marks the types in the second index, which distinguishes types. Tasks of the main type thus
    /// need one index entry less.
    static let otherType: Int64 = 128

    static func number(of state: TaskState.Name) -> Int64 { -state.code }

    static func number(of waitFlags: WaitFlags, isMainType: Bool) -> Int64 {
        Int64(waitFlags.rawValue) | (isMainType ? 0 : otherType)
    }

    static func number(of task: QueueTask, in queue: TableReader.QueueEntry) -> Int64 {
        guard task.waiting != nil else { return number(of: task.state.name) }
        return number(of: task.waitFlags, isMainType: task.type == queue.types.main)
    }

    static func waitFlags(_ number: Int) -> WaitFlags {
        WaitFlags(rawValue: number & Int(otherType - 1))
    }
}

/// The types that the tasks of a queue have had.
struct QueueTypes: Equatable, Sendable {
    /// The type of its first task.
    var main: String?
    /// Whether there were others.
    var isMixed = false

    func covers(_ type: String) -> Bool { isMixed || type == main }

    mutating func add(_ type: String) {
        if main == nil { main = type } else if type != main { isMixed = true }
    }
}
