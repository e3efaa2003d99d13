import SluiceConsole
import SluiceControl
import SluiceForeignQueues
import SluiceModel
import SluiceStore

/// Completes a scene that has only the first tasks: adds the systems' own counts and names, and the
/// known reasons why tasks do not run.
struct ForeignSceneAdapter {
    let look: ForeignLook
    let numbers: ForeignNumbers
    let now: Timestamp

    func told(_ scene: LoadedScene, _ possible: ForeignPossible?) -> LoadedScene {
        var scene = scene
        scene.refusals = possible?.refusals ?? [:]
        scene.taskRefusals = possible?.taskRefusals ?? [:]
        scene.helps = possible?.helps ?? [:]
        if let subject = look.detail?.task {
            scene.ownStop = possible?.ownStop(of: subject)
        }
        scene.names = names(of: scene)
        scene.uncounted = Set(
            look.tasks.filter { $0.task.attempts == nil }.map {
                numbers.number(.init(system: $0.system, reference: $0.task.reference))
            })
        scene.throughput = nil
        scene.lastHour = nil
        scene.pulse = [:]
        scene.lost = 0
        scene.runners.removeAll { $0.process.host == ForeignMirror.unlisted }
        scene.workers =
            look.runnerless.isEmpty ? .listed : look.asksRunners ? .unlisted(unlisted) : .unasked
        // The rules of this program do not choose it.
        scene.next = scene.next.flatMap { isNext($0.id) ? $0 : nil }
        scene.counts = QueueCounts()
        for queue in look.queues.values { scene.counts.add(queue.counts) }
        scene.estimated = look.queues.values.contains { !$0.estimates.isEmpty }
        scene.isBounded = look.queues.values.contains {
            !$0.bounds.isDisjoint(with: [.waiting, .delayed, .skipped, .running, .failed])
        }
        scene.queues = scene.queues.map(told)
        scene.queue = scene.queue.map(told)
        scene.flow = look.countsEnds ? FlowReading(seen: scene) : nil
        scene.subjectQueue = scene.subjectQueue.map(told)
        if let queue = scene.queue, var page = scene.page {
            page.remark = remark(queue) ?? page.remark
            scene.page = page
        }
        // A worker has the task, or it no longer exists.
        if look.detail == nil { scene.detail = nil }
        if let task = look.detail?.task {
            let blockers = blockers(of: task)
            scene.chain = scene.chain.prefix(1).map { line in
                var line = line
                line.blockers = blockers
                return line
            }
            scene.detail?.line.blockers = blockers
        }
        return scene
    }

    private func isNext(_ task: TaskID) -> Bool {
        look.tasks.contains {
            [.next, .held].contains($0.task.display)
                && numbers.number(.init(system: $0.system, reference: $0.task.reference)) == task
        }
    }

    /// The names of the systems that keep no list of their workers.
    private var unlisted: String {
        look.runnerless.map { look.titles[$0] ?? $0 }.joined(separator: ", ")
    }

    private func names(of scene: LoadedScene) -> TaskNames {
        var ids: [TaskID: String] = [:]
        for task in Set(scene.namedTasks) { ids[task] = numbers.name(task)?.reference }
        return TaskNames(foreign: ids)
    }

    private func queue(shown: String) -> (name: ForeignQueueName, queue: ForeignQueue)? {
        look.queues.first { $0.key.shown == shown }.map { ($0.key, $0.value) }
    }

    private func told(_ line: QueueLine) -> QueueLine {
        guard let (name, queue) = queue(shown: line.name) else { return line }
        let isKnown = !look.runnerless.contains(name.system)
        let how =
            queue.hold.map { " · held by \(ForeignText.method($0)), \($0.held(queue))" } ?? ""
        var line = QueueLine(
            queue, line.overview, lack: isKnown ? lack(queue, name) : nil,
            system: name.system + how)
        if !isKnown, !queue.isStopped, !queue.isInFlight, look.asksRunners {
            line.unserved = age(queue)
        }
        return line
    }

    /// Why no worker takes a queue's tasks. The mirror cannot say so: it has the tasks of the
    /// selected queue alone.
    private func lack(_ queue: ForeignQueue, _ name: ForeignQueueName) -> RunnerLack? {
        let runners = look.runners.filter { $0.system == name.system }.map(\.runner)
        return ForeignWhy.lack(of: queue, named: name.shown, among: runners)
    }

    /// The known facts about a queue with unknown workers:
    /// `oldest due 12m, nothing started since 14:02:11`.
    private func age(_ queue: ForeignQueue) -> String {
        guard queue.waiting - queue.blocked > 0 else { return "workers not known" }
        let oldest = queue.oldest.map { "oldest due \(ClockText.age($0, now: now))" }
        let started = queue.startedAt.map { "nothing started since \(ClockText.moment($0))" }
        let known = [oldest, started].compactMap(\.self)
        return known.isEmpty ? "workers not known" : known.joined(separator: ", ")
    }

    /// A note about tasks that the list omits.
    private func remark(_ line: QueueLine) -> String? {
        guard let (name, queue) = queue(shown: line.name) else { return nil }
        let listed: Set<TaskState.Name> = [.waiting, .running, .failed]
        let read = look.tasks.count {
            $0.system == name.system && $0.task.queue.isSame(as: name.name)
                && listed.contains($0.task.display.state)
        }
        let all = queue.waiting + queue.delayed + queue.skipped + queue.inFlight + queue.failed
        let about = queue.estimates.subtracting([.succeeded]).isEmpty ? "" : "~"
        let least = queue.bounds.subtracting([.succeeded]).isEmpty ? "" : "+"
        var parts: [String] = []
        if read < all {
            parts.append(
                "\(NumberText.grouped(read)) of \(about)\(NumberText.grouped(all))\(least) tasks "
                    + "are read")
        }
        return parts.isEmpty ? nil : parts.joined(separator: ", ")
    }

    private func blockers(of task: ForeignTask) -> [Blocker] {
        let system = look.subject?.system
        let found = look.queues.first {
            $0.key.system == system && $0.key.name.isSame(as: task.queue)
        }
        let isListed = !look.runnerless.contains(system ?? "")
        let runners = look.runners.filter { $0.system == system }.map(\.runner)
        return ForeignWhy.blockers(
            of: task, in: found?.value, title: system.flatMap { look.titles[$0] } ?? "its system",
            obstacle: look.obstacle, runners: isListed ? runners : nil, now: now)
    }
}

extension QueueCounts {
    fileprivate mutating func add(_ other: QueueCounts) {
        states.merge(other.states, uniquingKeysWith: +)
        waitingByFlags.merge(other.waitingByFlags, uniquingKeysWith: +)
    }
}

extension ForeignHold {
    fileprivate func held(_ queue: ForeignQueue) -> String {
        queue.marked(NumberText.grouped(queue.held), .held) + " held"
    }
}
