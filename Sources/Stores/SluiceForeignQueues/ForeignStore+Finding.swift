package import SluiceModel

/// Which queue and task a person names, and a queue's tasks one after the other.
extension ForeignStore {
    /// The maximum number of tasks that an id prefix search reads for each queue and state.
    package static let lookLimit = 20_000
    private static let shortest = 4

    /// A queue by its own name, or by its name with codes where another one looks the same, and
    /// its system. Throws `unknownQueue`, or `notLegal` where several systems have one of that
    /// name.
    package func place(of queue: String) throws -> (system: any ForeignSystem, queue: String) {
        try Self.checkName(queue)
        // If empty queues leave no trace, any name may be a queue.
        let mayBeNew = systems.count == 1 && !systems[0].listsEmptyQueues
        if mayBeNew, queue.utf8.allSatisfy({ $0 < 0x80 }) { return (systems[0], queue) }
        let all = try queues()
        let isThere = all.contains { $0.name.isSame(as: queue) }
        let names = ForeignQueueName.names(of: all)
        let meant = isThere ? nil : names.first { $0.spelled.isSame(as: queue) }?.name
        if mayBeNew { return (systems[0], meant ?? queue) }
        return (try system(of: meant ?? queue, among: all), meant ?? queue)
    }

    private func system(
        of queue: String, among all: [ForeignQueue]
    ) throws(QueueError) -> any ForeignSystem {
        let found = systems.filter { system in
            all.contains { $0.system == system.name && $0.name.isSame(as: queue) }
        }
        if found.count > 1 {
            throw QueueError(
                .notLegal, "several systems have a queue \"\(queue)\"",
                fix: "say which: --as \(found.map(\.name).joined(separator: " or --as "))")
        }
        if let only = found.first { return only }
        throw QueueError.unknownForeignQueue(queue, known: all.map(\.name))
    }

    /// Throws `notLegal` for a queue name that is no UTF-8: its shown form names other keys.
    private static func checkName(_ queue: String) throws(QueueError) {
        guard !queue.isExactName else { return }
        throw .notLegal(
            "the name of \(queue) is no UTF-8: it is listed, and nothing is done to it",
            fix: "give the queue another name in its app")
    }

    /// A task and its system, by its id or by what no other id begins with, four characters or
    /// more; throws `unknownTask`, or `ambiguousTask`.
    package func find(_ reference: String) throws -> (system: any ForeignSystem, ForeignDetail) {
        for system in systems {
            if let detail = try system.shownDetail(reference) { return (system, detail) }
        }
        if let (system, whole) = try beginning(reference),
            let detail = try system.shownDetail(whole)
        {
            return (system, detail)
        }
        throw QueueError(
            .unknownTask, "there is no task \"\(reference)\" in \(name)",
            fix: "it may have run: sluice list shows the tasks")
    }

    /// The one task whose id begins so. Numbers are meant whole, for 12 is not 123.
    private func beginning(
        _ text: String
    ) throws -> (system: any ForeignSystem, reference: String)? {
        guard text.utf8.count >= Self.shortest, text.contains(where: { !$0.isNumber }) else {
            return nil
        }
        var found: [ExactText: any ForeignSystem] = [:]
        var isWhole = true
        for system in systems {
            for queue in try system.queues() {
                for state in TaskState.Name.allCases {
                    let read = try system.each(of: queue.name, state, limit: Self.lookLimit) {
                        if $0.isNamed(text) { found[$0.reference] = system }
                        return true
                    }
                    isWhole = isWhole && read
                }
            }
        }
        guard let one = found.first else { return nil }
        guard found.count == 1, isWhole else {
            let first = found.texts.prefix(3).joined(separator: ", ")
            throw QueueError(
                .ambiguousTask,
                found.count == 1
                    ? "\"\(text)\" may be more than \(first): there are too many tasks to look"
                    : "\"\(text)\" may be \(first)" + (found.count > 3 ? " or others" : ""),
                fix: "give the whole id")
        }
        return (one.value, one.key.text)
    }
}

extension ForeignTask {
    /// Whether a beginning of its id names it; where an id has parts, also of the last one.
    func isNamed(_ text: String) -> Bool {
        reference.hasPrefix(text)
            || (reference.split(separator: ":").last?.hasPrefix(text) ?? false)
    }
}

extension ForeignSystem {
    private static var rememberedCount: Int { 20_000 }

    /// Hands over the tasks of a queue in a state, page by page, until `take` gives false or has
    /// had `limit`; false if there may be more.
    package func each(
        of queue: String, _ state: TaskState.Name, limit: Int,
        _ take: (ForeignTask) throws -> Bool
    ) throws -> Bool {
        try pages(of: queue, state, limit: limit) { try $0.allSatisfy(take) }
    }

    /// Passes whole pages to `take`. Omits tasks that a recent page contained, since a list can
    /// move while it is read.
    package func pages(
        of queue: String, _ state: TaskState.Name, limit: Int,
        _ take: ([ForeignTask]) throws -> Bool
    ) throws -> Bool {
        var (seen, former): (Set<ExactText>, Set<ExactText>) = ([], [])
        var count = 0
        var last: String?
        while true {
            let size = min(1000, limit - count)
            guard size > 0 else { return false }
            let page = try shownPage(
                ForeignQuery(queue: queue, state: state, limit: size, after: last))
            if seen.count > Self.rememberedCount { (seen, former) = ([], seen) }
            let new = page.tasks.filter { task in
                !former.contains(task.reference) && seen.insert(ExactText(task.reference)).inserted
            }
            count += new.count
            guard try take(new) else { return false }
            // A page that brings nothing new is the last one of a list that is not paged.
            guard page.more, !new.isEmpty, let end = page.tasks.last?.reference else {
                return !page.more
            }
            last = end
        }
    }
}
