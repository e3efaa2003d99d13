extension SystemRules {
    private static let waiting = listed.union(timed).union([.skipped])

    /// A system whose tasks are rows of a table in PostgreSQL, by the title of the table.
    static func table(_ table: JobTable) -> SystemRules {
        var displays = Set(table.states.map(\.display)).union([.held, .skipped])
        let keepsTimes = displays.contains(.delayed)
        displays.formUnion(timed)
        // If a state marks jobs that wait for a time, a skipped job has lost that state.
        let skipped = keepsTimes ? listed : listed.union(timed)
        var never: [ForeignVerb: String] = [
            .move: "\(table.title) orders by its columns; sluice priority changes that"
        ]
        if table.priority == nil { never[.priority] = "\(table.title) keeps no priorities" }
        if table.postponing == nil { never[.postpone] = "\(table.title) keeps no times" }
        if let reason = table.unheld {
            for verb in [ForeignVerb.pause, .resume, .step, .skip, .unskip] {
                never[verb] = reason
            }
        }
        var takes: [ForeignVerb: Set<Display>] = [
            .skip: skipped, .unskip: [.skipped], .delete: waiting, .edit: waiting,
            .postpone: waiting, .priority: waiting,
            .retry: timed.union(brings.contains(table.name) ? [.failed, .cancelled] : [.failed]),
        ]
        if table.rescuing != nil { takes[.reclaim] = [.running] }
        return SystemRules(
            table.title, showing: displays, stopping: stops[table.name] ?? .nothing,
            takes: takes, never: never)
    }

    static let solidQueue = SystemRules(
        "Solid Queue",
        showing: [.held, .skipped, .delayed, .retrying, .blocked, .running, .succeeded, .failed],
        stopping: .nothing,
        takes: [
            .skip: listed, .unskip: [.skipped], .move: listed, .postpone: listed.union(timed),
            .delete: waiting.union([.blocked, .failed]), .edit: waiting.union([.blocked, .failed]),
            .priority: waiting.union([.blocked]), .retry: timed.union([.failed]),
            .reclaim: [.running],
        ])

    /// The systems that can retry a cancelled task.
    private static let brings: Set = ["procrastinate", "oban", "river", "pgboss"]

    private static let stops: [String: Stopping] = [
        "oban": .own("Oban.cancel_job({id})", effect: "stops it"),
        "river": .own("client.JobCancel(ctx, {id})", effect: "stops it"),
        "procrastinate": .own(
            "app.job_manager.cancel_job_by_id({id}, abort=True)", effect: "asks it to stop"),
        "pgqueuer": .own("await queries.mark_job_as_cancelled([{id}])", effect: "asks it to stop"),
    ]
}

extension SystemRules {
    /// The rules of an unknown system: no verb is possible.
    static let nothing = SystemRules("it", showing: [], stopping: .nothing, takes: [:])
}
