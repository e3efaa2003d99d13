package import SluiceModel

/// The executions of other systems' workers that looks saw begin and end. Few systems keep them.
package struct ForeignRuns: Sendable {
    private struct Place: Hashable {
        let system: String
        let runner: ExactText
        let reference: ExactText
    }
    private struct Run {
        let place: Place
        let task: TaskID
        var queue = ""
        var type = ""
        let since: Timestamp
        var endedAt: Timestamp?
        var hasFailed = false
        var error: String?
    }
    private var open: [Place: Run] = [:]
    private var ended: [Run] = []
    /// The first look that knew the workers.
    package private(set) var since: Timestamp?

    /// No more executions are kept, and none that ended longer ago.
    private static let keptCount = 1000
    private static let keptMilliseconds: Int64 = 3_600_000

    /// No look yet.
    package init() {}

    /// Takes in a look. An execution that its worker no longer reports ended between two looks; it
    /// failed if its task shows so now.
    package mutating func update(
        _ look: ForeignLook, numbers: ForeignNumbers, at now: Timestamp
    ) {
        guard look.asksRunners else { return }
        since = since ?? now
        let tasks = Dictionary(
            look.tasks.map { ([$0.system, $0.task.reference].map(ExactText.init), $0.task) }
        ) { first, _ in first }
        var current: [Place: Run] = [:]
        for (system, runner) in look.runners {
            for reference in runner.running {
                let place = Place(
                    system: system, runner: ExactText(runner.name),
                    reference: ExactText(reference))
                let task = tasks[[system, reference].map(ExactText.init)]
                let number = numbers.number(.init(system: system, reference: reference))
                current[place] = run(number, place, task, look, at: now)
            }
        }
        for (_, var run) in open where current[run.place] == nil {
            let place = run.place
            let task = tasks[[place.system].map(ExactText.init) + [place.reference]]
            let end = task?.endedAt ?? now
            run.endedAt = min(now, max(run.since, end))
            run.hasFailed = task?.display == .failed || task?.display == .retrying
            run.error = run.hasFailed ? task?.error : nil
            ended.append(run)
        }
        open = current
        ended.removeAll { now - ($0.endedAt ?? now) > Self.keptMilliseconds }
        ended.removeFirst(max(0, ended.count - Self.keptCount))
    }

    private func run(
        _ number: TaskID, _ place: Place, _ task: ForeignTask?, _ look: ForeignLook,
        at now: Timestamp
    ) -> Run {
        let began = task?.startedAt.map { min($0, now) } ?? now
        var run = open[place] ?? Run(place: place, task: number, since: began)
        guard let task else { return run }
        let queue = look.queues.keys.first {
            $0.system == place.system && $0.name.isSame(as: task.queue)
        }
        (run.type, run.queue) = (task.type, queue?.shown ?? task.queue)
        return run
    }

    /// The ended executions of the workers of a look, under the numbers of its copy.
    package func attempts(of look: ForeignLook) -> [AttemptRecord] {
        var runners: [[ExactText]: ProcessID] = [:]
        for (place, entry) in look.runners.enumerated() {
            runners[[entry.system, entry.runner.name].map(ExactText.init)] = ProcessID(place + 1)
        }
        return ended.compactMap { run in
            guard let runner = runners[[ExactText(run.place.system), run.place.runner]] else {
                return nil
            }
            let task = QueueTask(
                id: run.task, queue: run.queue, type: run.type, position: 0,
                createdAt: .unknown, state: .waiting(Waiting()))
            var attempt = AttemptRecord(
                task: task, number: 1, runner: runner, startedAt: run.since)
            attempt.endedAt = run.endedAt
            attempt.outcome = run.hasFailed ? .retry : .success
            (attempt.isCounted, attempt.error) = (run.hasFailed, run.error)
            return attempt
        }
    }
}
