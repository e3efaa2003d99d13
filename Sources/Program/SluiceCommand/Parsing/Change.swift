import SluiceControl
import SluiceModel
import SluiceStore

/// A change that a command line asks for; some must first look into the store or a file to become
/// a `Verb`.
enum Change: Hashable, Sendable {
    case verb(Verb)
    case enqueue(EnqueueCall)
    case tasks(TaskChange)
    /// A schedule without its payload, and where the payload is.
    case schedule(ScheduleRequest, payload: ByteSource?)
}

enum ByteSource: Hashable, Sendable {
    /// Bytes from the command line itself.
    case bytes([UInt8])
    case file(String)
    case standardInput

    static func text(_ text: String) -> ByteSource { .bytes(Array(text.utf8)) }

    /// A file's name, or `-` for standard input.
    init(file name: String) { self = name == "-" ? .standardInput : .file(name) }
}

/// `enqueue`: one task, or many from the lines of a file.
struct EnqueueCall: Hashable, Sendable {
    enum Source: Hashable, Sendable {
        /// The request without its payload, and where the payload is.
        case one(EnqueueRequest, payload: ByteSource?)
        case lines(ByteSource)
    }
    var queue: String
    var source: Source
    /// Whether a line may name another queue (`--any-queue`).
    var takesAnyQueue = false
    /// The times of one task.
    var notBefore: Moment?
    var expires: Moment?
}

/// A verb on named tasks, or on tasks selected by a filter (D10).
struct TaskChange: Hashable, Sendable {
    /// The words of the verb, already validated.
    var words: VerbWords
    var selection: Selection
    /// Whether it only reports the changes (`--dry-run`).
    var isRehearsal = false
    /// The answer to every question is yes.
    var isConfirmed = false
    /// The store's name, for a protected one (G8).
    var storeName: String?
}

/// Tasks by name or by predicate.
enum Selection: Hashable, Sendable {
    case tasks([TaskReference])
    case filter(TaskFilter)
}

/// Which tasks a command means; commands and the console's `:` line use the same.
extension TaskChange {
    /// The tasks: named ones without a version, filtered ones with the version that the filter saw
    /// (D8). A filter without a state selects only tasks in states where the verb is legal.
    func targets(_ reading: Reading) throws -> [TaskTarget] {
        switch selection {
        case .tasks(let references):
            var targets: [TaskTarget] = []
            for reference in references {
                let target = TaskTarget(try reading.store.number(of: reference))
                if !targets.contains(target) { targets.append(target) }
            }
            return targets
        case .filter(let filter):
            let states = filter.states(usually: words.kind.states)
            let queues =
                try filter.queue.map { [try reading.store.requireQueue($0)] }
                ?? reading.store.queues()
            return try reading.targets(
                in: queues, sections: ListSection.allCases.filter { states.contains($0.state) },
                matching: filter)
        }
    }
}
