extension SystemRules {
    private static let waiting = listed.union(timed).union([.skipped])
    private static let inList = listed.union([.skipped])
    /// The displays of listed tasks whose message may carry its own time.
    private static let timedToo = listed.union([.delayed])

    static let rq = SystemRules(
        "RQ",
        showing: [
            .held, .skipped, .delayed, .blocked, .taken, .running, .succeeded, .failed, .cancelled,
        ],
        stopping: .verb(own: "send_stop_job_command(redis, '{id}')"),
        takes: [
            .skip: listed, .unskip: [.skipped], .move: listed,
            .delete: inList.union([.delayed, .blocked, .succeeded, .failed, .cancelled]),
            .retry: [.failed, .delayed, .cancelled],
            .edit: inList.union([.delayed, .blocked, .failed]),
            .postpone: inList.union([.delayed]), .cancel: [.running],
        ],
        never: [.priority: "RQ keeps no priorities; sluice move changes the order"])

    static let celery = SystemRules(
        "Celery", showing: [.held, .skipped, .delayed, .taken, .running],
        stopping: .verb(own: "celery -A APP control terminate SIGTERM {id}"),
        takes: [
            .step: timedToo, .skip: timedToo, .unskip: [.skipped], .move: timedToo,
            .delete: timedToo.union([.skipped]), .edit: timedToo.union([.skipped]),
            .cancel: [.taken, .running, .delayed],
        ],
        never: [
            .retry: "Celery's broker keeps no task that has failed",
            .postpone: "Celery's timers are in the memory of its workers",
            .priority:
                "Celery keeps a priority in the name of the list; sluice move changes the order",
        ],
        whyTimed: "waits for its time in the memory of a worker")

    static let sidekiq = SystemRules(
        "Sidekiq", showing: [.held, .skipped, .delayed, .retrying, .running, .failed],
        stopping: .nothing,
        takes: [
            .skip: listed, .unskip: [.skipped], .move: listed, .delete: waiting.union([.failed]),
            .retry: timed.union([.failed]), .edit: waiting.union([.failed]), .postpone: waiting,
        ],
        never: [.priority: "Sidekiq keeps no priorities; sluice move changes the order"])

    static let bullmq = SystemRules(
        "BullMQ", showing: [.held, .delayed, .blocked, .running, .failed, .succeeded],
        stopping: .nothing,
        takes: [
            .move: listed, .retry: [.failed, .delayed],
            .delete: listed.union([.delayed, .failed, .succeeded]),
            .edit: listed.union([.delayed, .blocked, .failed]),
        ],
        never: [
            .priority: "its own script counts priorities; that is not built yet",
            .postpone: "its own script makes delays; that is not built yet",
            .skip: "its own cleaning deletes jobs that lie in none of its states",
            .unskip: "its own cleaning deletes jobs that lie in none of its states",
        ])

    static let saq = SystemRules(
        "SAQ",
        showing: [
            .held, .skipped, .delayed, .retrying, .running, .succeeded, .failed, .cancelled,
        ],
        stopping: .own("await job.abort('stopped')", effect: "in its own library stops it"),
        takes: [
            .skip: listed, .unskip: [.skipped], .move: listed, .delete: inList, .edit: inList,
            .postpone: inList, .reclaim: [.running],
        ],
        never: [
            .priority: "SAQ's list has no priorities; sluice move changes the order",
            .retry: "SAQ keeps no way back from its end; its jobs are made anew by their keys",
        ])

    static let huey = SystemRules(
        "huey on Redis", showing: [.held, .skipped, .delayed, .blocked, .failed],
        stopping: .nothing,
        takes: [
            .step: timedToo.union([.blocked]), .skip: listed, .unskip: [.skipped], .move: listed,
            .delete: inList.union([.delayed, .blocked]), .edit: inList.union([.delayed]),
            .postpone: inList.union([.delayed]),
        ],
        never: [
            .retry: "huey keeps the exception of a failed task, not its call",
            .priority: "huey's list has no priorities; sluice move changes the order",
        ])

    /// Only huey's own scheduler reads its table of delayed tasks, so most verbs do not apply to
    /// them.
    static let hueyFile = SystemRules(
        "huey on SQLite", showing: [.held, .skipped, .delayed, .blocked, .failed],
        stopping: .nothing,
        takes: [
            .step: timedToo.union([.blocked]), .skip: listed, .unskip: [.skipped], .move: listed,
            .delete: inList.union([.blocked]), .edit: inList,
            .postpone: inList, .priority: inList,
        ],
        never: [.retry: "huey keeps the exception of a failed task, not its call"])

    static let arq = SystemRules(
        "ARQ",
        showing: [.held, .skipped, .delayed, .retrying, .running, .failed, .succeeded],
        stopping: .own(
            "await Job('{id}', redis).abort()",
            effect: "stops it where its workers have allow_abort_jobs"),
        takes: [
            .skip: listed.union(timed), .unskip: [.skipped], .move: listed.union(timed),
            .delete: waiting, .edit: waiting, .retry: timed, .postpone: waiting,
        ],
        never: [.priority: "ARQ orders by time; sluice move changes the order"])

    static let dramatiq = SystemRules(
        "Dramatiq", showing: [.held, .skipped, .delayed, .retrying, .running, .failed],
        stopping: .nothing,
        takes: [
            .skip: listed, .unskip: [.skipped], .move: listed, .postpone: inList,
            .delete: inList.union([.failed]), .edit: inList.union([.failed]), .retry: [.failed],
            .reclaim: [.running],
        ],
        never: [.priority: "Dramatiq's priorities belong to actors, not to messages"],
        whyTimed: "waits for its time in the memory of a worker")

    static let resque = SystemRules(
        "Resque", showing: [.held, .skipped, .running, .failed],
        stopping: .own(
            "kill -USR1 PID", effect: "of its worker, as sluice workers has it, stops it"),
        takes: [
            .skip: listed, .unskip: [.skipped], .move: listed, .edit: inList,
            .delete: inList.union([.failed]), .retry: [.failed],
        ],
        never: [
            .priority: "Resque keeps no priorities; sluice move changes the order",
            .postpone: "Resque has no times; its add-on resque-scheduler is not known here",
        ])

    static let laravelRedis = SystemRules(
        "Laravel on Redis",
        showing: [.held, .skipped, .delayed, .retrying, .running, .failed, .succeeded],
        stopping: .nothing,
        takes: [
            .skip: listed, .unskip: [.skipped], .move: listed, .delete: waiting.union([.failed]),
            .retry: timed.union([.failed]), .edit: waiting, .postpone: waiting,
        ],
        never: [.priority: "Laravel keeps no priorities; sluice move changes the order"])

    private static let taskiqNever: [ForeignVerb: String] = [
        .retry: "Taskiq keeps no task that has failed",
        .postpone: "Taskiq's delays are in the sources of its scheduler",
    ]

    static let taskiq = SystemRules(
        "Taskiq on lists", showing: [.held, .skipped], stopping: .nothing,
        takes: [
            .skip: listed, .unskip: [.skipped], .move: listed, .delete: inList, .edit: inList,
        ],
        never: taskiqNever.merging([
            .priority: "Taskiq's lists have no priorities; sluice move changes the order"
        ]) { $1 })

    static let taskiqStream = SystemRules(
        "Taskiq on streams", showing: [.held, .skipped, .taken], stopping: .nothing,
        takes: [.skip: listed, .unskip: [.skipped], .delete: inList, .edit: inList],
        never: taskiqNever.merging([
            .priority: "a stream has no priorities", .move: "a stream keeps the order of arrival",
        ]) { $1 })

    private static let lookedAt =
        "Asynq is only shown here, not changed: its own command asynq does what it can"

    static let asynq = SystemRules(
        "Asynq", showing: Set(Display.allCases).subtracting([.held, .left, .skipped, .taken]),
        stopping: .own("asynq task cancel {id}", effect: "stops it"), takes: [:],
        never: Dictionary(
            uniqueKeysWithValues: ForeignVerb.allCases.filter { $0 != .cancel }
                .map { ($0, lookedAt) }))
}
