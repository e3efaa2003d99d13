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
    /// The source of an import.
    enum Source: Hashable, Sendable {
        /// The request without its payload, and where the payload is.
        case one(EnqueueRequest, payload: ByteSource?)
        case lines(ByteSource)
    }
    var queue: String
    /// The source of an import.
    var source: Source
    /// Whether a line may name another queue (`--any-queue`).
    var takesAnyQueue = false
}

/// A verb on named tasks, or on tasks selected by a filter (D10).
struct TaskChange: Hashable, Sendable {
    /// The words of the verb, already validated.
    var words: VerbWords
    /// Which tasks.
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
