extension SystemRules {
    /// A system whose tasks are rows in PostgreSQL or SQLite.
    static func rows(_ table: RowTable) -> SystemRules {
        var displays = Set(table.states.map(\.display)).union([.held, .skipped])
        displays.insert(table.isTakenLater ? .taken : .delayed)
        if table.attempts != nil { displays.insert(.retrying) }
        displays.formUnion(table.others.map(\.display))
        let waiting = listed.union(timed).union([.skipped])
        let failed: Set<Display> = displays.contains(.failed) ? [.failed] : []
        let isRetried = table.others.contains { $0.again != nil } || !table.retrying.isEmpty
        var never: [ForeignVerb: String] = [
            .move: "\(table.title) orders by its columns"
                + (table.priority == nil ? "" : "; sluice priority changes that")
        ]
        if table.priority == nil { never[.priority] = "\(table.title) keeps no priorities" }
        if table.isTakenLater {
            never[.postpone] = "\(table.title) keeps no times in its queue"
            never[.retry] = isRetried ? nil : table.whyFixed
        }
        if let why = table.whyFixed { never[.edit] = why }
        return SystemRules(
            table.title, showing: displays, stopping: table.stopping,
            takes: [
                .skip: listed.union(timed), .unskip: [.skipped], .delete: waiting.union(failed),
                .edit: waiting, .postpone: listed.union(timed), .priority: waiting,
                .retry: timed.union(isRetried ? failed : []),
            ],
            never: never)
    }
}
