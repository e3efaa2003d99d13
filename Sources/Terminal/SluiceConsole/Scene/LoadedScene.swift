package import SluiceControl
package import SluiceModel
package import SluiceStore

/// All that the screen shows, read from one moment of the store.
package struct LoadedScene: Hashable, Sendable {
    package var request: LoadRequest
    /// The moment, in real time.
    package var at: Timestamp
    /// The filters saved in the store, by name.
    var sharedFilters: [String: String] = [:]
    /// The store's name if it is protected and requires typing the name (G8).
    package var protectedName: String?
    /// The attached programs of older versions that some part of the debugger would end (P4).
    package var older: [ProcessRecord] = []
    package var forcedNetwork: Bool?
    /// The pauses of the whole store that hold.
    package var storePauses: [Pause] = []
    /// The active faults (G2).
    package var faults: [Fault] = []
    /// Who records the store (G6).
    package var recording: Recording?
    /// The attached process that moves it on.
    package var recorder: ProcessRecord?
    /// The active parts of the debugger, for view 8.
    var debugger: [DebuggerRow] = []
    /// The clock, if a person set it (G3).
    package var clock: ClockSetting?
    /// Which executions of the subject were cut off, and what follows from that.
    var cutOffSentence: String?
    /// The past and coming effects of faults on the subject, as sentences.
    package var faultSentences: [String] = []
    /// The number of rejected rows in an application's inbox (T4): `3`, `100+`.
    package var refusedRows: String?
    package var runners: [RunnerLine] = []
    package var workers = Workers.listed
    package var queueCount = 0
    /// The requested range of queues, larger priority first.
    package var queues: [QueueLine] = []
    /// How many come before those.
    package var queuesBefore = 0
    /// The names of all queues, if requested.
    package var queueNames: [String]?
    /// The selected queue, when there is one.
    package var queue: QueueLine?
    /// Its place among all, from 0.
    package var queuePlace: Int?
    /// The queue of the subject, if it is not the selected one.
    package var subjectQueue: QueueLine?
    /// How many tasks all queues hold together.
    package var counts = QueueCounts()
    /// Whether some of those are estimates of other systems' servers.
    package var estimated = false
    /// Whether some of those are lower bounds.
    package var isBounded = false
    /// How all queues together went in the last minutes, for view 7 and the list of all.
    package var throughput: Throughput?
    /// The last hour of the selected queue, or of all, for views 5 and 7 and the preview.
    package var lastHour: LastHour?
    /// The arrivals, held tasks and ends, for view 9.
    package var flow: FlowReading?
    /// The places of a fleet, which is no store.
    package var fleet: FleetReading?
    /// Ends and the first due task of each queue in sight, for view 7.
    package var pulse: [String: QueuePulse] = [:]
    package var taskTimeline: TaskTimeline?
    /// The reason for a missing timeline.
    var timelineTrouble: String?
    /// The task under the cursor if it is not among the loaded rows. `nil` if the task was removed.
    package var pinned: QueueTask?
    /// The requested task, in any queue; `nil` if not found.
    package var sought: QueueTask?
    /// How many of the running ones have lost their runner (A2).
    package var lost = 0
    /// The earliest scheduled run of any queue.
    package var nextRun: Timestamp?
    /// The next timers of all queues.
    package var timers: [TimerLine] = []
    var areTimersCut = false
    /// The same timers and the later ones on a timeline (view 3).
    package var timeline: Timeline?
    /// The requested part of the list (view 1).
    package var page: TaskPage?
    /// The next task of the selected queue.
    package var next: NextTask?
    /// The blockers of the first otherwise ready task, if the queue has no next task.
    package var hindrances: [Blocker] = []
    /// The payload paths of the list, if requested.
    var places: PayloadPlaces?
    /// The newest lines of the journal, oldest first.
    package var recent: [JournalEntry] = []
    /// The log of the selected queue (view 4), oldest first.
    package var activity: [LogLine] = []
    /// The number of log lines examined for the filter, if the log has more.
    package var activityLooked: Int?
    /// The current failures of the selected queue, or of all queues, grouped by error (view 5).
    package var failing = FailingNow()
    package var failures: [FailureGroup] { failing.groups }
    /// The common traits of the tasks in the row at the cursor.
    package var traits: FailureTraits?
    /// The groups of the selected queue (view 2).
    package var groups: [GroupLine] = []
    /// Whether there are more than those.
    package var hasMoreGroups = false
    /// The subject and the starts before it, each with its blockers. Empty if the subject was
    /// removed.
    package var chain: [TaskLine] = []
    /// Everything about the subject.
    package var detail: TaskDetail?
    /// The end of the output of the subject's running child; `nil` if it printed nothing.
    package var output: ShownOutput?
    /// Why that output cannot be read.
    package var outputTrouble: String?
    /// The edits of the subject's payload, oldest first.
    package var payloadChanges: [PayloadChange] = []
    package var edits: [EditLease] = []
    /// Whether a process with write access must clean up after dead processes (A2).
    package var hasRemains = false
    package var names = TaskNames()
    /// Whether a list of the tasks of all queues is possible.
    package var listsAll = true
    /// Why actions cannot be done at all to the selected queue and its tasks, as its system does
    /// not know them.
    package var refusals: [Action.ID: String] = [:]
    /// Why actions cannot be done to its tasks, by what their system says that they show.
    package var taskRefusals: [String: [Action.ID: ActionRefusal]] = [:]
    /// Tasks whose executions their system does not count.
    package var uncounted: Set<TaskID> = []
    /// The help of actions that another system does in its own way.
    package var helps: [Action.ID: String] = [:]
    /// The command of another system that stops the subject, where a worker has it.
    package var ownStop: String?
    /// The position on a tape, or `nil` for a store.
    package var tape: TapePlace?
    /// The next time when the clock alone changes the scene, and the console reads again.
    package var nextEvent: Timestamp?

    init(request: LoadRequest, at: Timestamp) {
        self.request = request
        self.at = at
    }

    package var selected: String? { queue?.name }

    /// The queue at an index among all queues, if loaded.
    package func queue(at place: Int) -> QueueLine? {
        let row = place - queuesBefore
        return queues.indices.contains(row) ? queues[row] : nil
    }

    /// The queue with a name, if loaded.
    package func queue(named name: String?) -> QueueLine? {
        ([queue, subjectQueue].compactMap(\.self) + queues).first { $0.name == name }
    }

    /// The index of a queue among all queues, if loaded.
    func place(ofQueue name: String) -> Int? {
        queues.firstIndex { $0.name == name }.map { $0 + queuesBefore }
    }

    /// Whether the queues at these indexes are loaded.
    func hasRead(_ places: Range<Int>) -> Bool {
        let there = places.clamped(to: 0..<queueCount)
        return there.isEmpty
            || there.lowerBound >= queuesBefore
                && there.upperBound <= queuesBefore + queues.count
    }

    var knownQueueNames: [String] { queueNames ?? queues.map(\.name) }

    /// Whether an earlier attempt still runs somewhere although its task waits (B12).
    var hasChildren: Bool { counts.waiting(in: .lingering) > 0 }

    /// Whether a task runs under a live runner.
    var hasRunning: Bool { counts[.running] > lost }

    package var namedTasks: [TaskID] {
        var ids = (page?.rows ?? []).namedTasks + chain.namedTasks
        ids += [next?.id, detail?.line.task.parent].compactMap { $0 }
        ids += timers.compactMap(\.id) + recent.compactMap(\.task)
        ids += activity.flatMap(\.entry.tasks)
        ids += groups.flatMap { [$0.start].compactMap { $0 }.namedTasks }
        ids += groups.flatMap { $0.members.map(\.line).namedTasks }
        ids += ([queue].compactMap(\.self) + queues).flatMap(\.overview.pauses).namedTasks
        ids += debugger.flatMap(\.namedTasks) + (taskTimeline?.rows.map(\.task) ?? [])
        let ofPage = detail.map { $0.followUps + $0.twins } ?? []
        return ids + runners.flatMap { $0.tasks.map(\.id) } + ofPage
    }

    /// How many finished tasks the store keeps, and how many are in the trash.
    var endedCount: Int { counts[.succeeded] + counts[.deleted] }

    /// How many tasks the store holds, those in the trash and the finished ones not counted.
    package var taskCount: Int { counts[.running] + counts[.waiting] + counts[.failed] }
}

/// The known facts about workers.
package enum Workers: Hashable, Sendable {
    case listed
    /// Systems of these names keep no list of their workers.
    case unlisted(String)
    /// Nothing yet.
    case unasked
}

/// A queue as the screen shows it.
package struct QueueLine: Hashable, Sendable {
    package var overview: QueueOverview
    /// Its tasks by displayed state.
    package var tally: QueueTally
    /// The throughput of the last minutes, if requested.
    package var throughput: Throughput?
    /// The name and pause state of another system's queue. Shown in place of its settings and
    /// health.
    package var system: String?
    /// The known facts about service of another system's queue, if its workers are unknown or none
    /// runs.
    package var unserved: String?

    init(overview: QueueOverview, throughput: Throughput?) {
        (self.overview, self.throughput) = (overview, throughput)
        tally = QueueTally(overview)
    }

    /// A queue of another system. `taken` running tasks are known only as reserved.
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

    package var name: String { overview.queue.name }

    /// Whether a good part of its last attempts failed.
    package var isFailing: Bool {
        get { overview.isFailing }
        set { overview.isFailing = newValue }
    }

    /// The condition, for the console and commands. Whether another system's workers would start a
    /// task is not known.
    package var status: QueueStatus {
        let status = QueueStatus(overview, tally)
        let isInHand =
            tally.taken > 0 || tally.running > 0 && !tally.estimated.contains(.running)
        return system != nil && status == .running && !isInHand ? .waiting : status
    }

    /// The conditions that hold, for a source that keeps no alerts of its own.
    package var alerts: [QueueAlert] {
        func alert(_ kind: QueueAlert.Kind, _ words: String) -> QueueAlert {
            QueueAlert(subject: .init(kind: kind, queue: name), text: "\(name) \(words)")
        }
        var found: [QueueAlert] = []
        switch status {
        case .stuck: found.append(alert(.stuck, "is stuck: a task runs or blocks it for too long"))
        case .noRunner(let lack) where unserved == nil:
            found.append(alert(.noWorker, "waits: \(lack.words)"))
        default: break
        }
        if isFailing {
            found.append(
                alert(.failing, "is failing: many attempts of the last ten minutes failed"))
        }
        return found
    }
}

/// An attached runner and its tasks.
package struct RunnerLine: Hashable, Sendable {
    package var process: ProcessRecord
    package var tasks: [QueueTask]
}

/// The task that comes next and what its failure means.
package struct NextTask: Hashable, Sendable {
    package var id: TaskID
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
    /// The row of the requested place, or of the task that took it.
    package var anchorIndex = 0
    /// Whether the task to follow is there, at `anchorIndex`.
    package var isFollowed = false
    /// Whether the search for matches stopped before an end (K6).
    package var isCut = false
    /// The number of rows in the list, if known without a count.
    package var total: Int?
    /// Whether the list is too long for the requested order.
    package var isTooLong = false
    /// A further remark about the list.
    package var remark: String?
    /// The progress of the payload search, if the filter needs one.
    package var search: SearchState?
    /// The breakpoints that would stop at tasks of it.
    package var stops: [TaskID: Int64] = [:]
    /// The faults that would go into the next attempts of tasks of it.
    package var faults: [TaskID: Int64] = [:]
    /// The settings of the queues of its rows, in the list of all queues.
    package var settings: [String: QueueSettings] = [:]
    /// The about texts of the tasks, a few words each.
    package var about: [TaskID: String] = [:]

    /// The number of rows before the first loaded one, if counted.
    package var countBefore: Int?

    /// The place of the first row in the list, from 0, if it is known.
    package var firstIndex: Int? { reachesStart ? 0 : countBefore }
}
