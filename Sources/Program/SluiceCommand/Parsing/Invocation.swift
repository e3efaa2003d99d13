import SluiceControl
import SluiceModel
import SluiceRunner
import SluiceStore
import SluiceSystem
import SluiceTapes
import SluiceTransfer

/// A parsed command line: the invocation, and the common options.
struct Request: Hashable, Sendable {
    var invocation: Invocation
    var common: CommonOptions
}

struct CommonOptions: Hashable, Sendable {
    /// The store as given; `nil` means `$SLUICE_STORE`, else `./sluice.db`.
    var store: String?
    var isJSON = false
    /// Refuse every change.
    var isReadOnly = false
    /// Say nothing when all is well.
    var isQuiet = false
    /// Who acts; nil takes `$SLUICE_USER`, else `user@host`.
    var person: String?
    /// The foreign system of the store, if given.
    var system: String?
    /// The event on a tape to view; `nil` views its end (G6).
    var event: Int?
}

/// The meaning of a command line, before anything is done or opened.
enum Invocation: Hashable, Sendable {
    case console(ConsoleStart)
    case version
    case help(topic: String?)
    case completion(Shell)
    case manual(page: String?)
    /// The filters that the person saved.
    case filters(FilterCall)
    /// Completes the word at a shell's cursor.
    case complete(CompletionCall)
    case initialize(InitializeCall)
    case demo(DemoCall, ConsoleStart)
    /// The demo's worker; a hidden verb.
    case demoWorker(store: String)
    /// The scene of the demonstration alone, for pictures; in no list.
    case demoScene(store: String)
    case doctor(DoctorCall)
    /// Gives back the room that nothing uses; `now` also where others have to wait for it.
    case compact(now: Bool)
    case export(ExportCall)
    case importTasks(ImportCall)
    case copy(CopyCall)
    case query(CommandQuery)
    case follow(Following)
    /// `logs --follow`.
    case followOutput(LogsCall)
    /// `metrics --listen`.
    case exportMetrics(HostPort)
    case expect(ExpectCall)
    case record(RecordCall)
    case replay(ReplayCall)
    case report(ReportCall)
    case change(Change)
    case restore(RestoreCall)
    case step(StepCall)
    case run(RunCall)
    case work(WorkCall)
}

extension Invocation {
    var isConsole: Bool { if case .console = self { true } else { false } }

    /// Whether it changes nothing in the store.
    var onlyReads: Bool {
        switch self {
        case .query, .follow, .followOutput, .exportMetrics: true
        case .export, .expect, .replay, .report, .filters(.list): true
        default: false
        }
    }

    /// Whether it looks once and is done.
    var looksOnce: Bool {
        switch self {
        case .query, .export, .report: true
        default: false
        }
    }

    /// Whether something was changed or created before the output.
    var leavesChange: Bool {
        switch self {
        case .initialize, .compact, .importTasks, .copy: true
        default: changesTasks
        }
    }

    var changesTasks: Bool {
        switch self {
        case .change(.tasks(let change)): !change.isRehearsal
        case .change, .step, .run, .work: true
        case .restore(let call): !call.isRehearsal
        default: false
        }
    }
}

struct ConsoleStart: Hashable, Sendable {
    /// The themes by name, and one of a person's own.
    enum Theme: Hashable, Sendable {
        case dark, light, mono
        case file(String)

        /// A theme as it is written: a name, or the path of a file, which has a slash or a dot.
        init(_ text: String, of option: String) throws(QueueError) {
            switch text {
            case "dark": self = .dark
            case "light": self = .light
            case "mono": self = .mono
            default:
                guard text.contains("/") || text.contains(".") else {
                    throw .badValue(
                        option, text, allowed: "dark, light, mono, or a file such as ./theme")
                }
                self = .file(text)
            }
        }
    }
    /// The handlers file, for steps in this process.
    var handlers: String?
    /// The theme; nil asks the terminal.
    var theme: Theme?
    /// Draws with ASCII alone.
    var isASCII = false
    /// Leaves the mouse to the terminal.
    var ignoresMouse = false
    /// Rings the bell when a condition of a queue begins.
    var notifies = false
}

enum Shell: String, Hashable, Sendable, CaseIterable {
    case bash, zsh, fish
}

/// A read-only command.
enum CommandQuery: Hashable, Sendable {
    case queues
    case charts(ChartCall)
    case list(ListCall)
    case show(TaskReference)
    case why(TaskReference)
    case forecast(queue: String, limit: Int)
    case groups(queue: String)
    case flow(FlowCall)
    case timeline(TimelineCall)
    case failures(queue: String?, isRetrying: Bool = false, explained: String? = nil)
    case results(session: String)
    case timers
    case breakpoints
    case faults
    case clock
    case checkpoints
    case difference(from: String?, to: String?)
    case schedules
    case log(LogCall)
    /// An SDK's console log, joined to the tasks of its folder.
    case appLog(ByteSource, [TaskReference])
    case logs(LogsCall)
    case runners
    case stats
    case metrics
    case network
}

/// How `flow` draws.
struct FlowCall: Hashable, Sendable {
    /// Looks back an hour by minute, else two minutes.
    var isHour = false
    /// Draws with ASCII alone.
    var isASCII = false
}

/// A page of tasks as `list` asks for it.
struct ListCall: Hashable, Sendable {
    /// The states that `--state` takes.
    enum State: String, Hashable, Sendable, CaseIterable {
        case waiting, running, succeeded, failed, deleted, all
    }
    /// The queue; nil for every queue.
    var queue: String?
    /// Only what matches.
    var filter: TaskFilter?
    /// Only this state.
    var state: State?
    /// At most this many.
    var limit = 100
    /// The task before the page.
    var after: TaskReference?
    /// The fields of each task in JSON (`--fields`) or the columns (`--columns`); empty for the
    /// usual ones.
    var fields: [ListField] = []
}

/// A command that follows changes until interrupted.
enum Following: Hashable, Sendable {
    /// `log --follow`, after the newest lines.
    case log(LogCall)
    case watch
    /// `watch --on`.
    case alerts(AlertCall)
}

/// `log`.
struct LogCall: Hashable, Sendable {
    /// Only lines about these tasks.
    var tasks: [TaskReference] = []
    /// Which lines, in addition to the tasks and the time.
    var filter = LogFilter()
    /// The time of the oldest line.
    var since: Moment?
    /// How many of the newest lines; nil for the usual number, in a script for all.
    var limit: Int?
    /// Whether to include runs, their timers and starts of attempts.
    var isClose = false
    /// Whether to print the actions of people as a script.
    var isScript = false

    /// The default number of lines.
    static let usualLimit = 50
}

/// `expect` (G7).
struct ExpectCall: Hashable, Sendable {
    /// The expectation, and how long to wait for it.
    var request: ExpectRequest
    /// The name of the case in the file; nil takes the expectation itself.
    var name: String?
    /// The file that CI reads.
    var junit: String?
}

/// `record` (G6).
struct RecordCall: Hashable, Sendable {
    /// The options of the recording, with its file.
    var request: TapeRecorder.Request
    /// The duration; `nil` for no limit.
    var forMilliseconds: Int64?
}

/// `replay` (G6).
struct ReplayCall: Hashable, Sendable {
    struct Setting: Hashable, Sendable {
        var queue: String
        var change: SettingChange
    }
    var path: String
    /// The last event; nil for all.
    var event: Int?
    /// The new store for that moment.
    var target: String?
    /// Changed settings of queues for the replay.
    var settings: [Setting] = []
}

/// `step` (D3).
struct StepCall: Hashable, Sendable {
    enum Target: Hashable, Sendable {
        case queue(String, count: Int)
        case task(TaskReference)
    }
    var target: Target
    /// The handlers file, for execution in this process.
    var handlers: String?
    /// Whether an execution without success is exit 1.
    var isChecked = false
}

/// `restore` (G5).
struct RestoreCall: Hashable, Sendable {
    var name: String
    /// Whether it only reports the changes (`--dry-run`).
    var isRehearsal = false
    /// The answer to every question is yes.
    var isConfirmed = false
}

/// `run` (D4).
struct RunCall: Hashable, Sendable {
    enum Until: Hashable, Sendable {
        case task(TaskReference)
        case count(Int)
        case time(Moment)
        /// Before the first task that matches, at other systems' queues.
        case match(TaskFilter)
    }
    var queue: String
    /// The end of the run; `nil` for an attempt of every task.
    var until: Until?
    /// The handlers file, for execution in this process.
    var handlers: String?
}

/// `work`.
struct WorkCall: Hashable, Sendable {
    var handlers: String?
    /// The queues to serve; nil for every queue.
    var queues: [String]?
    /// The number of tasks that run concurrently.
    var slots = 8
    /// Whether to end when no task is left to run.
    var endsWhenEmpty = false
    /// Lets faults kill it (G2).
    var allowsCrash = false
    /// The address to probe for the network; `nil` uses the routes alone.
    var probe: ProbeAddress?
    /// The address of the metrics; `nil` for no metrics.
    var metrics: HostPort?
}

/// `export`.
struct ExportCall: Hashable, Sendable {
    /// The name of the target; `-` for standard output.
    var target: String
    var format: TransferFormat
    /// Only this queue.
    var queue: String?
    /// Only what matches.
    var filter: TaskFilter?
    /// Values that an archive of requests leaves out.
    var redacted: [PayloadPath] = []
}

/// `import`.
struct ImportCall: Hashable, Sendable {
    /// A file, store or folder; `-` for lines on standard input.
    var source: String
    /// The queue that all tasks come into; nil for each one's own.
    var queue: String?
    /// Only what matches.
    var filter: TaskFilter?
    /// Whether to import tasks again that were removed since.
    var again = false
    /// The foreign system of the source, if given.
    var system: String?
}

/// `copy`.
struct CopyCall: Hashable, Sendable {
    /// The store that the queues are in.
    var source: String
    /// The target store, created if missing.
    var target: String
    /// Only these queues.
    var queues: [String]?
    /// How long to wait for running tasks.
    var waitMilliseconds: Int64 = 60_000
    /// Whether work continues at the source.
    var staysInSource = false
    /// Whether to copy tasks again that were removed from the target.
    var again = false
    /// Whether to report the moves without changes.
    var isRehearsal = false
}

/// The options of `doctor`.
struct DoctorCall: Hashable, Sendable {
    var repairs = false
    /// Whether to skip the slow part of the engine's check.
    var isQuick = false
}

/// The options of `init`. A missing option keeps the current value or the default.
struct InitializeCall: Hashable, Sendable {
    /// How much a commit survives (P1).
    var durability: StoreRecord.Durability?
    /// How many bytes of what `undo` needs the journal keeps (D9).
    var journalBytes: Int64?
    /// How many bytes of images checkpoints keep (G5).
    var imageBytes: Int64?
    /// Another role that may own the schema at a server (P7).
    var schemaOwner: String?
}
