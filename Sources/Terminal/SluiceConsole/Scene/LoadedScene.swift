package import SluiceControl
package import SluiceModel
package import SluiceStore

/// All that the screen shows, read from one moment of the store.
package struct LoadedScene: Hashable, Sendable {
    /// What was asked.
    package var request: LoadRequest
    /// The moment, in real time.
    package var at: Timestamp
    /// The filters that are saved in the store, by their names.
    var sharedFilters: [String: String] = [:]
    /// The store's name, where it is protected and asks for it (G8).
    package var protectedName: String?
    /// The attached programs of older versions that some part of the debugger would end (P4).
    package var older: [ProcessRecord] = []
    /// The network as a person forced it.
    package var forcedNetwork: Bool?
    /// The pauses of the whole store that hold.
    package var storePauses: [Pause] = []
    /// The faults that stand (G2).
    package var faults: [Fault] = []
    /// Who records the store (G6).
    package var recording: Recording?
    /// The attached process that moves it on.
    package var recorder: ProcessRecord?
    /// What stands of the debugger, for view 8.
    var debugger: [DebuggerRow] = []
    /// The clock, where somebody set it (G3).
    package var clock: ClockSetting?
    /// Which executions of the subject were cut off, and what follows from that.
    var cutOffSentence: String?
    /// What faults did to the subject and will do to it, in sentences.
    package var faultSentences: [String] = []
    /// How many rows of an application's inbox were refused (T4).
    package var refusedRows = 0
    /// The attached runners.
    package var runners: [RunnerLine] = []
    /// Whether those are all that there are.
    package var workers = Workers.listed
    /// How many queues there are.
    package var queueCount = 0
    /// The part of them that was asked for, the larger priority first.
    package var queues: [QueueLine] = []
    /// How many come before those.
    package var queuesBefore = 0
    /// The names of all, where they were asked for.
    package var queueNames: [String]?
    /// The selected queue, when there is one.
    package var queue: QueueLine?
    /// Its place among all, from 0.
    package var queuePlace: Int?
    /// The queue of the subject, where that is another one.
    package var subjectQueue: QueueLine?
    /// How many tasks all queues hold together.
    package var counts = QueueCounts()
    /// Whether some of those are estimates of other systems' servers.
    package var estimated = false
    /// How all queues together went in the last minutes, for view 7 and the list of all.
    package var throughput: Throughput?
    /// The last hour of the selected queue, or of all, for views 5 and 7 and the preview.
    package var lastHour: LastHour?
    /// The arrivals, held tasks and ends, for view 9.
    package var flow: FlowReading?
    /// Ends and the first due task of each queue in sight, for view 7.
    package var pulse: [String: QueuePulse] = [:]
    /// The timeline that was asked for.
    package var taskTimeline: TaskTimeline?
    /// The reason for a missing timeline.
    var timelineTrouble: String?
    /// The task of the cursor, where it is not among the rows that were read; nil where it is gone.
    package var pinned: QueueTask?
    /// The task that was sought, wherever it is; nil where there is none.
    package var sought: QueueTask?
    /// How many of the running ones have lost their runner (A2).
    package var lost = 0
    /// When the next run of any queue begins by itself.
    package var nextRun: Timestamp?
    /// The next timers of all queues.
    package var timers: [TimerLine] = []
    /// The same and what lies behind them on a line of time (view 3).
    package var timeline: Timeline?
    /// The part of the list that was asked for (view 1).
    package var page: TaskPage?
    /// What comes next in the selected queue.
    package var next: NextTask?
    /// Where nothing comes next: what blocks the first task that nothing of its own keeps.
    package var hindrances: [Blocker] = []
    /// The places in payloads of the list, where they were asked for.
    var places: PayloadPlaces?
    /// The newest lines of the journal, oldest first.
    package var recent: [JournalEntry] = []
    /// What happened in the selected queue (view 4), oldest first.
    package var activity: [LogLine] = []
    /// How many lines of the log were looked through for those that are wanted, where there are
    /// more.
    package var activityLooked: Int?
    /// What fails now in the selected queue, or in all, by the errors (view 5).
    package var failing = FailingNow()
    /// The rows of it.
    package var failures: [FailureGroup] { failing.groups }
    /// What the tasks of the row at the cursor have in common.
    package var traits: FailureTraits?
    /// The groups of the selected queue (view 2).
    package var groups: [GroupLine] = []
    /// Whether there are more than those.
    package var hasMoreGroups = false
    /// The subject and the starts before it, each with its blockers; empty when it is gone.
    package var chain: [TaskLine] = []
    /// Everything about the subject.
    package var detail: TaskDetail?
    /// The edits of the subject's payload, oldest first.
    package var payloadChanges: [PayloadChange] = []
    /// The edits that are in progress.
    package var edits: [EditLease] = []
    /// Whether whoever may write has to look for what the dead left (A2).
    package var hasRemains = false
    /// How the tasks that are shown are named.
    package var names = TaskNames()
    /// Whether the tasks of all queues can be listed together.
    package var listsAll = true
    /// Why actions cannot be done at all to the selected queue and its tasks, as its system does
    /// not know them.
    package var refusals: [Action.ID: String] = [:]
    /// Why actions cannot be done to its tasks, by what their system says that they show.
    package var taskRefusals: [String: [Action.ID: ActionRefusal]] = [:]
    /// The command of another system that stops the subject, where a worker has it.
    package var ownStop: String?
    /// Where on a tape it is; nil for what lives.
    package var tape: TapePlace?
    /// The first moment at which time alone changes something, so that it is read again.
    package var nextEvent: Timestamp?

    init(request: LoadRequest, at: Timestamp) {
        self.request = request
        self.at = at
    }

    /// The selected queue's name.
    package var selected: String? { queue?.name }

    /// The queue at a place among all, where it was read.
    package func queue(at place: Int) -> QueueLine? {
        let row = place - queuesBefore
        return queues.indices.contains(row) ? queues[row] : nil
    }

    /// The queue of a name, where it was read.
    package func queue(named name: String?) -> QueueLine? {
        ([queue, subjectQueue].compactMap(\.self) + queues).first { $0.name == name }
    }

    /// The place of a queue among all, where it was read.
    func place(ofQueue name: String) -> Int? {
        queues.firstIndex { $0.name == name }.map { $0 + queuesBefore }
    }

    /// Whether the queues at these places were read.
    func hasRead(_ places: Range<Int>) -> Bool {
        let there = places.clamped(to: 0..<queueCount)
        return there.isEmpty
            || there.lowerBound >= queuesBefore
                && there.upperBound <= queuesBefore + queues.count
    }

    /// The names that are known of queues.
    var knownQueueNames: [String] { queueNames ?? queues.map(\.name) }

    /// Whether an execution goes on somewhere although its task waits (B12).
    var hasChildren: Bool { counts.waiting(in: .lingering) > 0 }

    /// Whether a task runs, of which a runner is there.
    var hasRunning: Bool { counts[.running] > lost }

    /// Every task that something of it names.
    package var namedTasks: [TaskID] {
        var ids = (page?.rows ?? []).namedTasks + chain.namedTasks
        ids += [next?.id, detail?.line.task.parent].compactMap { $0 }
        ids += timers.compactMap(\.id) + recent.compactMap(\.task)
        ids += activity.flatMap(\.entry.tasks)
        ids += groups.flatMap { [$0.start].compactMap { $0 }.namedTasks }
        ids += groups.flatMap { $0.members.map(\.line).namedTasks }
        ids += ([queue].compactMap(\.self) + queues).flatMap(\.overview.pauses).namedTasks
        ids += debugger.flatMap(\.namedTasks) + (taskTimeline?.rows.map(\.task) ?? [])
        return ids + runners.flatMap { $0.tasks.map(\.id) } + (detail?.followUps ?? [])
    }

    /// How many finished tasks the store keeps, and how many are in the trash.
    var endedCount: Int { counts[.succeeded] + counts[.deleted] }

    /// How many tasks the store holds, those in the trash and the finished ones not counted.
    package var taskCount: Int { counts[.running] + counts[.waiting] + counts[.failed] }
}

/// What is known of who works.
package enum Workers: Hashable, Sendable {
    /// All of them.
    case listed
    /// Systems of these names keep no list of their workers.
    case unlisted(String)
    /// Nothing yet.
    case unasked
}

/// A queue as the screen shows it.
package struct QueueLine: Hashable, Sendable {
    /// The queue at a glance.
    package var overview: QueueOverview
    /// Its tasks by what they show.
    package var tally: QueueTally
    /// How it went in the last minutes, where that was asked for.
    package var throughput: Throughput?
    /// Whether a good part of its last attempts failed.
    package var isFailing = false
    /// Of a queue of another system: which, and how it is held. It stands where its settings and
    /// its health would.
    package var system: String?
    /// Of a queue of another system whose workers are not known, and of which none is known to
    /// run: what is known instead.
    package var unserved: String?

    /// A queue at a glance.
    init(overview: QueueOverview, throughput: Throughput?) {
        (self.overview, self.throughput) = (overview, throughput)
        tally = QueueTally(overview)
    }

    /// A queue of another system; so many of its running tasks are only known to be taken.
    package init(
        _ overview: QueueOverview, system: String, taken: Int = 0,
        estimated: Set<QueueTally.Estimate> = [], bounded: Set<QueueTally.Estimate> = []
    ) {
        self.init(overview: overview, throughput: nil)
        self.system = system
        tally.running -= taken
        tally.taken = taken
        tally.estimated = estimated
        tally.bounded = bounded
        tally.isDueCapped = bounded.contains(.due)
    }

    /// Its name.
    package var name: String { overview.queue.name }
}

/// An attached runner with what it runs.
package struct RunnerLine: Hashable, Sendable {
    /// The process.
    package var process: ProcessRecord
    /// The tasks in its hands.
    package var tasks: [QueueTask]
}

/// The task that comes next and what its failure means.
package struct NextTask: Hashable, Sendable {
    /// The task.
    package var id: TaskID
    /// Its type.
    package var type: String
    /// The group that it starts, when members of it wait.
    package var group: String?
    /// How many waiting members stay held when it fails.
    package var holdsBack: Int
    /// The wait after a failure; nil when a failure is its last.
    package var retryMilliseconds: Int64?
    /// Whether giving it up pauses its queue (Q6).
    package var isRequired: Bool
}

/// A part of a queue's list.
package struct TaskPage: Hashable, Sendable {
    /// The rows in the running order.
    package var rows: [TaskLine] = []
    /// Whether the first row is the list's first.
    package var reachesStart = true
    /// Whether the last row is the list's last.
    package var reachesEnd = true
    /// The row of the place that was asked for, or of the task that took it.
    package var anchorIndex = 0
    /// Whether the task to follow is there, at `anchorIndex`.
    package var isFollowed = false
    /// Whether the search for matches stopped before an end (K6).
    package var isCut = false
    /// How many rows the list has, where that is known without counting.
    package var total: Int?
    /// Whether it is too long for the order that was asked for.
    package var isTooLong = false
    /// What else is to be known of the list.
    package var remark: String?
    /// How far payloads were looked through, where the filter asks for that.
    package var search: SearchState?
    /// The breakpoints that would stop at tasks of it.
    package var stops: [TaskID: Int64] = [:]
    /// The faults that would go into the next attempts of tasks of it.
    package var faults: [TaskID: Int64] = [:]
    /// The settings of the queues of its rows, in the list of all queues.
    package var settings: [String: QueueSettings] = [:]
    /// What the tasks are about, in a few words each.
    package var about: [TaskID: String] = [:]

    /// How many rows the list has before the first, where that was counted.
    package var countBefore: Int?

    /// The place of the first row in the list, from 0, where it is known.
    package var firstIndex: Int? { reachesStart ? 0 : countBefore }
}
