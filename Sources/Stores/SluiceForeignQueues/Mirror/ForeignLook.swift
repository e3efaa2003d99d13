import SluiceModel

/// What one look read of other systems' queues: every queue at a glance, and the first tasks of
/// one of them.
package struct ForeignLook: Sendable {
    /// A task and the system that it belongs to.
    package struct Sighting: Hashable, Sendable {
        /// The system.
        package var system: String
        /// The task.
        package var task: ForeignTask
    }
    /// So many waiting tasks of the queue are read, and so many of each other state.
    package static let waitingLimit = 500
    static let otherLimit = 100
    static let timerLimit = 200

    /// Every queue, by its shown name.
    package var queues: [ForeignQueueName: ForeignQueue] = [:]
    /// The tasks that were read, each once, in the order of their queue.
    package var tasks: [Sighting] = []
    /// The workers, where their system knows them.
    package var runners: [(system: String, runner: ForeignRunner)] = []
    /// The systems that keep no list of their workers.
    package var runnerless: [String] = []
    /// The task that was asked for, and what is known of it; nil where it is not there.
    package var subject: ForeignNumbers.Name?
    package var detail: ForeignDetail?
    /// Why its own system does not start it, where it says so.
    package var obstacle: String?
    /// The names that people use for the systems.
    package var titles: [String: String] = [:]
    /// The payloads that were asked for.
    package var payloads: [ForeignNumbers.Name: [UInt8]] = [:]
    var timers: [Sighting] = []
}

/// A queue as the screen names it: by its name alone where only one system has one of that name.
package struct ForeignQueueName: Hashable, Sendable, Comparable {
    /// The system.
    package var system: String
    /// The name of the queue there.
    package var name: String
    /// What is shown.
    package var shown: String

    /// By what is shown.
    package static func < (one: Self, other: Self) -> Bool { one.shown < other.shown }

    static func names(of queues: [ForeignQueue]) -> [ForeignQueueName] {
        let shared = Dictionary(grouping: queues, by: \.name).filter { $0.value.count > 1 }
        return queues.map { queue in
            let shown =
                shared[queue.name] == nil ? queue.name : "\(queue.name) (\(queue.system))"
            return ForeignQueueName(system: queue.system, name: queue.name, shown: shown)
        }
    }
}

extension ForeignStore {
    /// Every queue by its shown name, in the order of those.
    package func named() throws -> [(name: ForeignQueueName, queue: ForeignQueue)] {
        let queues = try queues()
        return zip(ForeignQueueName.names(of: queues), queues).map { ($0, $1) }
            .sorted { $0.name < $1.name }
    }

    /// Looks: at the tasks of the queue that `selected` picks among the names, and at `subject`.
    /// Workers and timers are those of `former`, where one is given.
    package func look(
        at selected: ([ForeignQueueName]) -> ForeignQueueName?, subject: ForeignNumbers.Name?,
        runnersOf former: ForeignLook? = nil
    ) throws -> ForeignLook {
        var look = ForeignLook()
        let all = try named()
        look.queues = Dictionary(uniqueKeysWithValues: all.map { ($0.name, $0.queue) })
        var seen: Set<ForeignNumbers.Name> = []
        func add(_ task: ForeignTask, of system: String) {
            let name = ForeignNumbers.Name(system: system, reference: task.reference)
            guard seen.insert(name).inserted else { return }
            look.tasks.append(ForeignLook.Sighting(system: system, task: task))
        }
        let queue = selected(all.map(\.name))
        for system in systems {
            look.titles[system.name] = system.title
            if let queue, queue.system == system.name {
                for state in TaskState.Name.allCases {
                    let isMain = state == .waiting
                    let limit = isMain ? ForeignLook.waitingLimit : ForeignLook.otherLimit
                    let query = ForeignQuery(queue: queue.name, state: state, limit: limit)
                    for task in try system.page(query).tasks { add(task, of: system.name) }
                }
            }
            if former == nil {
                look.timers += try system.timers(limit: ForeignLook.timerLimit).map {
                    ForeignLook.Sighting(system: system.name, task: $0.task)
                }
                if system.listsRunners {
                    look.runners += try system.runners().map { (system.name, $0) }
                } else {
                    look.runnerless.append(system.name)
                }
            }
            if let subject, subject.system == system.name {
                look.subject = subject
                look.detail = try system.detail(subject.reference)
                look.obstacle = try look.detail.flatMap { try system.obstacle(of: $0) }
                if let task = look.detail?.task { add(task, of: system.name) }
            }
        }
        if let former {
            (look.runners, look.runnerless) = (former.runners, former.runnerless)
            look.timers = former.timers
        }
        for timer in look.timers { add(timer.task, of: timer.system) }
        return look
    }
}
