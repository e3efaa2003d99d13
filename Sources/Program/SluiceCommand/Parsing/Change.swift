import SluiceControl
import SluiceModel
import SluiceStore

/// A change that a command line asks for; some must first look into the store or a file to become
/// a `Verb`.
enum Change: Hashable, Sendable {
    case verb(Verb)
    case enqueue(EnqueueCall)
    case tasks(TaskChange)
}

/// Where bytes come from.
enum ByteSource: Hashable, Sendable {
    /// What the command line itself holds.
    case bytes([UInt8])
    case file(String)
    case standardInput

    /// A text.
    static func text(_ text: String) -> ByteSource { .bytes(Array(text.utf8)) }

    /// A file's name, or `-` for standard input.
    init(file name: String) { self = name == "-" ? .standardInput : .file(name) }
}

/// `enqueue`: one task, or many from the lines of a file.
struct EnqueueCall: Hashable, Sendable {
    /// What comes in.
    enum Source: Hashable, Sendable {
        /// The request without its payload, and where the payload is.
        case one(EnqueueRequest, payload: ByteSource?)
        case lines(ByteSource)
    }
    /// The queue.
    var queue: String
    /// What comes in.
    var source: Source
}

/// A verb on tasks that are named or selected by a filter (D10).
struct TaskChange: Hashable, Sendable {
    /// What is done to them.
    var action: TaskAction
    /// Which tasks.
    var selection: Selection
    /// Says what would change, and changes nothing.
    var isRehearsal = false
    /// The answer to every question is yes.
    var isConfirmed = false
}

/// Tasks by name or by predicate.
enum Selection: Hashable, Sendable {
    case tasks([TaskReference])
    case filter(TaskFilter)
}

/// What a verb on tasks does to each of them.
enum TaskAction: Hashable, Sendable {
    /// A place in the running order beside a task that is still to be found.
    enum Place: Hashable, Sendable {
        case before(TaskReference)
        case after(TaskReference)
        case first
        case last
    }
    case skip(forMilliseconds: Int64?)
    case unskip
    case delete(cancelsRunning: Bool, members: StartFailurePolicy?)
    case undelete
    case retry(overMilliseconds: Int64?)
    case postpone(until: Timestamp, overMilliseconds: Int64?)
    case priority(PriorityWord)
    case move(Place)
    case moveToQueue(String)
    case edit(payload: ByteSource?, fields: [FieldChange])
    case duplicate
    case cancel
    case reclaim
    case acknowledge
    case purge(members: MemberFate?)

    /// The states in which the verb is legal: where a filter names no state, only these are taken.
    var legalStates: Set<TaskState.Name> {
        switch self {
        case .skip, .unskip, .postpone, .move, .moveToQueue: [.waiting]
        case .delete: [.waiting, .failed, .succeeded]
        case .undelete: [.deleted]
        case .retry, .priority, .edit: [.waiting, .failed]
        case .duplicate: [.waiting, .running, .succeeded, .failed]
        case .cancel: [.running]
        case .reclaim: [.waiting, .running]
        case .acknowledge: [.succeeded, .failed, .deleted]
        case .purge: [.succeeded, .failed, .deleted]
        }
    }
}
