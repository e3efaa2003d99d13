package import SluiceModel

/// A snapshot of foreign queues: a summary of every queue, and the first tasks of one.
package struct ForeignLook: Sendable {
    /// A task and the system that it belongs to.
    package struct FoundTask: Hashable, Sendable {
        package var system: String
        package var task: ForeignTask
    }
    /// The maximum number of tasks read: waiting tasks, tasks of each other state, and timers.
    package static let waitingLimit = 500
    static let otherLimit = 100
    static let timerLimit = 200
    /// The minimum time between two queries of the workers, which can take some systems a second.
    package static let runnersMilliseconds: Int64 = 4_000
    /// The maximum age of a snapshot without changes, since a worker can exit silently. It is
    /// shorter if only the workers report running tasks.
    package var stillMilliseconds: Int64 {
        runners.contains { !$0.runner.tasks.isEmpty } ? Self.runnersMilliseconds : 30_000
    }

    /// Every queue, by its shown name.
    package var queues: [ForeignQueueName: ForeignQueue] = [:]
    /// The tasks, without duplicates, in queue order.
    package var tasks: [FoundTask] = []
    /// The workers, where their system knows them.
    package var runners: [(system: String, runner: ForeignRunner)] = []
    /// The systems without a list of workers, or without an answer so far.
    package var runnerless: [String] = []
    /// Whether the snapshot includes workers.
    package var asksRunners = true
    /// Whether ended tasks are counted, which the first snapshot omits.
    package var countsEnds: Bool { asksRunners }
    /// The requested task and its details; `nil` if it does not exist.
    package var subject: ForeignNumbers.Name?
    package var detail: ForeignDetail?
    /// The reason why its system does not start it, if known.
    package var obstacle: String?
    /// The names that people use for the systems.
    package var titles: [String: String] = [:]
    package var payloads: [ForeignNumbers.Name: [UInt8]] = [:]
    var timers: [FoundTask] = []
    /// The requested task and queue.
    var asked: ForeignNumbers.Name?
    var selected: ForeignQueueName?
    /// The stamps of its stores, which change with any change in them; `nil` if a store has no
    /// stamp.
    var stamp: [String]?

    /// Marks the first due task of each queue as the next one, as a list does. Some systems mark it
    /// themselves.
    mutating func markNext() {
        var marked: [String: Set<ExactText>] = [:]
        for seen in tasks where seen.task.display == .next {
            marked[seen.system, default: []].insert(ExactText(seen.task.queue))
        }
        for place in tasks.indices where tasks[place].task.display == .due {
            let seen = tasks[place]
            let queue = ExactText(seen.task.queue)
            guard marked[seen.system, default: []].insert(queue).inserted else { continue }
            tasks[place].task.display = .next
        }
    }

    /// Whether a look at the same would read the same: nothing was changed since, and no time has
    /// come that something waits for.
    package func isStill(
        _ stamp: [String]?, at selected: ([ForeignQueueName]) -> ForeignQueueName?,
        subject: ForeignNumbers.Name?, since then: Timestamp, now: Timestamp
    ) -> Bool {
        guard let stamp, stamp == self.stamp, subject == asked,
            selected(queues.keys.sorted()) == self.selected
        else { return false }
        return tasks.allSatisfy { entry in
            entry.task.notBefore.map { $0 <= then || $0 > now } ?? true
        }
    }
}

/// A queue as the screen names it: by its name alone where only one system has one of that name.
package struct ForeignQueueName: Hashable, Sendable, Comparable {
    package var system: String
    package var name: String
    package var shown: String
    /// The name in commands: with the codes of its letters where another queue looks the same.
    package var spelled: String

    /// Compares shown names.
    package static func < (one: Self, other: Self) -> Bool { one.shown.precedes(other.shown) }

    /// By the bytes of its name.
    package static func == (one: Self, other: Self) -> Bool {
        one.system == other.system && one.name.isSame(as: other.name)
            && one.shown.isSame(as: other.shown)
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(system)
        hasher.combine(ExactText(name))
    }

    /// Whether a command that names a queue so means this one.
    package func isNamed(_ text: String) -> Bool {
        text.isSame(as: name) || text.isSame(as: spelled) || text.isSame(as: shown)
    }

    /// The filter with the shown names of the queues that it names.
    package static func naming(_ filter: TaskFilter, among all: some Sequence<Self>) -> TaskFilter {
        filter.namingQueues { shown($0, among: all) }
    }

    /// The shown names of the queues that a text means.
    package static func shown(_ text: String, among all: some Sequence<Self>) -> [String] {
        all.filter { $0.isNamed(text) }.map(\.shown).sorted()
    }

    package static func names(of queues: [ForeignQueue]) -> [ForeignQueueName] {
        let shared = Dictionary(grouping: queues, by: \.name).filter { $0.value.count > 1 }
        return queues.map { queue in
            let equal = shared[queue.name] ?? []
            var (shown, spelled) = (queue.name, queue.name)
            if Set(equal.map(\.system)).count > 1 { shown += " (\(queue.system))" }
            // Texts that look the same may be other bytes, which are other keys.
            if Set(equal.map { Array($0.name.utf8) }).count > 1 {
                let codes = queue.name.unicodeScalars.filter { !$0.isASCII }
                    .map { String($0.value, radix: 16) }
                shown += " (\(codes.joined(separator: " ")))"
                spelled += " (\(codes.joined(separator: " ")))"
            }
            return ForeignQueueName(
                system: queue.system, name: queue.name, shown: shown, spelled: spelled)
        }
    }
}

extension ForeignStore {
    /// Every queue by its shown name, in the order of those.
    package func named(
        isSoon: Bool = false
    ) throws -> [(name: ForeignQueueName, queue: ForeignQueue)] {
        let queues = try isSoon ? systems.flatMap { try $0.queuesSoon() } : queues()
        return zip(ForeignQueueName.names(of: queues), queues).map { ($0, $1) }
            .sorted { $0.name < $1.name }
    }

    /// The stamps of all systems, which change with any change in their stores; `nil` if a system
    /// has none.
    package func stamp() throws -> [String]? {
        var all: [String] = []
        for system in systems {
            guard let one = try system.stamp() else { return nil }
            all.append(one)
        }
        return all
    }

    /// Takes a snapshot with the tasks of the queue that `selected` picks, and with the task
    /// `subject`. Copies workers and timers from `former` if present. A first snapshot (`isFirst`)
    /// omits both and succeeded tasks, to be fast.
    package func look(
        at selected: ([ForeignQueueName]) -> ForeignQueueName?, subject: ForeignNumbers.Name?,
        runnersOf former: ForeignLook? = nil, isFirst: Bool = false
    ) throws -> ForeignLook {
        var look = ForeignLook()
        look.asked = subject
        try readRunners(&look, former, isFirst: isFirst)
        if let former {
            look.timers = former.timers
        } else if !isFirst {
            look.timers = try timers()
        }
        // To ask workers may change something itself.
        look.stamp = isFirst ? nil : try stamp()
        let all = try named(isSoon: isFirst)
        look.queues = Dictionary(all.map { ($0.name, $0.queue) }) { first, _ in first }
        var seen: Set<ForeignNumbers.Name> = []
        func add(_ task: ForeignTask, of system: String) {
            let name = ForeignNumbers.Name(system: system, reference: task.reference)
            guard seen.insert(name).inserted else { return }
            look.tasks.append(ForeignLook.FoundTask(system: system, task: task))
        }
        let queue = selected(all.map(\.name))
        look.selected = queue
        let states = isFirst ? [.running, .waiting, .failed] : TaskState.Name.allCases
        for system in systems {
            look.titles[system.name] = system.title
            if let queue, queue.system == system.name {
                for state in states {
                    let isMain = state == .waiting
                    let limit = isMain ? ForeignLook.waitingLimit : ForeignLook.otherLimit
                    var query = ForeignQuery(queue: queue.name, state: state, limit: limit)
                    query.isWatched = true
                    for task in try system.shownPage(query).tasks { add(task, of: system.name) }
                }
                look.markNext()
            }
            if let subject, subject.system == system.name {
                look.subject = subject
                look.detail = try system.shownDetail(subject.reference)
                look.obstacle = try look.detail.flatMap { try system.obstacle(of: $0) }
                if let task = look.detail?.task { add(task, of: system.name) }
            }
        }
        for timer in look.timers { add(timer.task, of: timer.system) }
        for (system, runner) in look.runners {
            for task in runner.tasks { add(task, of: system) }
        }
        return look
    }

    private func timers() throws -> [ForeignLook.FoundTask] {
        try systems.flatMap { system in
            try system.timers(limit: ForeignLook.timerLimit).map {
                ForeignLook.FoundTask(system: system.name, task: $0.task)
            }
        }
    }

    /// Takes a snapshot of all tasks in some states of every queue, in queue order. Copies workers
    /// from `former` if present. Throws `notLegal` if a queue has more than `limit` tasks of a
    /// state.
    func lookAtAll(
        in states: Set<TaskState.Name>, limit: Int, runnersOf former: ForeignLook?
    ) throws -> ForeignLook {
        var look = ForeignLook()
        try readRunners(&look, former, isFirst: false)
        look.stamp = try stamp()
        let all = try named()
        look.queues = Dictionary(all.map { ($0.name, $0.queue) }) { first, _ in first }
        for system in systems {
            look.titles[system.name] = system.title
            var seen: Set<ExactText> = []
            for (name, _) in all where name.system == system.name {
                for state in TaskState.Name.allCases where states.contains(state) {
                    var count = 0
                    let isAll = try system.each(of: name.name, state, limit: limit) { task in
                        count += 1
                        if seen.insert(ExactText(task.reference)).inserted {
                            look.tasks.append(
                                ForeignLook.FoundTask(system: system.name, task: task))
                        }
                        return true
                    }
                    guard isAll else {
                        guard count >= limit else {
                            throw QueueError.notAllShown(name.shown, state, system.title)
                        }
                        throw QueueError.notLegal(
                            "\(name.shown) has more than \(NumberText.grouped(limit)) tasks that "
                                + "are \(state.rawValue): all of them are read for this",
                            fix: "sluice list --state failed lists the failed ones, and sluice "
                                + "list --filter reads as many as it needs")
                    }
                }
            }
        }
        look.markNext()
        return look
    }

    /// Reads the workers, or takes them from a former look.
    private func readRunners(
        _ look: inout ForeignLook, _ former: ForeignLook?, isFirst: Bool
    ) throws {
        if let former {
            (look.runners, look.runnerless) = (former.runners, former.runnerless)
            look.asksRunners = former.asksRunners
            return
        }
        guard !isFirst else {
            look.runnerless = systems.map(\.name)
            look.asksRunners = false
            return
        }
        for system in systems {
            if system.listsRunners {
                look.runners += try system.runners().map { (system.name, $0) }
            } else {
                look.runnerless.append(system.name)
            }
        }
    }
}

extension QueueError {
    /// A system that shows only some of a queue's tasks.
    fileprivate static func notAllShown(
        _ queue: String, _ state: TaskState.Name, _ system: String
    ) -> QueueError {
        .notLegal(
            "\(system) shows not all tasks of \(queue) that are \(state.rawValue): all of them are "
                + "read for this",
            fix: "sluice queues has their number")
    }
}
