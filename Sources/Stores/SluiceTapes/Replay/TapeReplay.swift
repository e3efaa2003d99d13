package import SluiceModel
import SluiceSQL
import SluiceStore
import SluiceSystem

/// Repeats the decisions on a tape with the current rules, each on the store of that moment, and
/// compares the results (G6).
package struct TapeReplay {
    /// A decision with different results.
    package struct Difference: Hashable, Sendable {
        package var event: Int
        /// The decision in a few words: `claim by runner 2`, `state of #5 after its end`.
        package var what: String
        package var tape: JSONValue
        package var rules: JSONValue
        /// The full difference: the claimed tasks, or each task after its end.
        package var parts: [Part]
    }
    package enum Part: Hashable, Sendable {
        /// The tasks that a runner claimed on the tape, and by the rules.
        case claim(by: ProcessID, tape: [TaskID], rules: [TaskID])
        /// The rules refuse the operation.
        case refused(String, by: QueueError)
        /// Whether a task exists after its end by the rules; the tape has the opposite.
        case presence(of: TaskID, byRules: Bool)
        /// The fields of a task that differ after its end, from the tape's value to the rules'
        /// value.
        case end(of: TaskID, [FieldDifference])
    }
    package struct Report: Hashable, Sendable {
        /// The maximum number of differences in `all`.
        package static let limit = 1000
        package var events = 0
        /// The number of repeated decisions.
        package var decisions = 0
        /// How many of them the rules decide otherwise.
        package var differences = 0
        /// The differences in order of the tape, up to the limit.
        package var all: [Difference] = []
        /// The first of them.
        package var first: Difference? { all.first }
    }
    /// A changed setting of a queue for the replay.
    package typealias Change = @Sendable (inout QueueRecord) throws -> Void

    private let file: TapeFile
    private let changes: [String: Change]
    private let last: Int
    private var report = Report()
    private var changed: Set<String> = []

    /// A replay of a tape up to an event, or all of it, with other settings of some queues.
    package init(_ file: TapeFile, upTo last: Int? = nil, changes: [String: Change] = [:]) {
        (self.file, self.changes) = (file, changes)
        self.last = min(last ?? file.count, file.count)
        report.events = self.last
    }

    /// Goes through the tape, to its end or to the first difference. Throws `unknownQueue` where a
    /// queue that was to be changed is not on it.
    package mutating func run(stopsAtFirst: Bool) throws -> Report {
        let report = try goThrough(stopsAtFirst: stopsAtFirst)
        if report.decisions > 0, let name = changes.keys.first(where: { !changed.contains($0) }) {
            let store = try TapePlayer(file).view(at: last).store
            let known = try store.readBlocking { try $0.queues().map(\.name) }
            throw QueueError.unknownQueue(name, known: known)
        }
        return report
    }

    private mutating func goThrough(stopsAtFirst: Bool) throws -> Report {
        var moment = try TapePlayer.beginning(of: file)
        for event in 1..<last + 1 {
            let commit = try file.event(event)
            for decision in commit.decisions {
                try compare(decision, commit, moment, event)
                if stopsAtFirst, report.first != nil { return report }
            }
            try TapePlayer.put(commit, event, on: &moment, file)
        }
        return report
    }

    private mutating func compare(
        _ decision: TapeDecision, _ commit: TapeCommit, _ moment: TapeMoment, _ event: Int
    ) throws {
        let span = decision.span.clamped(to: 0..<commit.changes.count)
        var before = moment
        try TapePlayer.put(commit.part(0..<span.lowerBound), event, on: &before, file)
        var after = before
        try TapePlayer.put(commit.part(span), event, on: &after, file)
        let store = before.writableStore(named: file.path)
        let at = try commit.at ?? file.moment(of: event)
        try change(store)
        report.decisions += 1
        let found: Difference?
        switch decision.question {
        case .claim(let request, let gave):
            found = try compare(request, gave, store, at, event)
        case .settle(let completions):
            found = try compare(completions, after, store, at, event)
        }
        guard let found else { return }
        report.differences += 1
        if report.all.count < Report.limit { report.all.append(found) }
    }

    private mutating func change(_ store: MemoryStore) throws {
        guard !changes.isEmpty else { return }
        let changes = changes
        changed.formUnion(
            try store.writeBlocking { writer in
                try changes.compactMap { name, change -> String? in
                    guard var queue = try writer.queue(named: name) else { return nil }
                    try change(&queue)
                    try writer.put(queue)
                    return name
                }
            })
    }

    private func compare(
        _ request: ClaimRequest, _ gave: [TaskID], _ store: MemoryStore, _ at: Timestamp,
        _ event: Int
    ) throws -> Difference? {
        // A task that was dispatched before already runs and takes a slot.
        let waiting = Set(
            try store.readBlocking { try $0.tasks(gave) }.filter { $0.waiting != nil }.map(\.id))
        let started = gave.filter(waiting.contains)
        var request = request
        request.freeSlots -= gave.count - started.count
        let wanted = request
        let answer = try ask(store, at) { try $0.claim(wanted).map(\.task.id) }
        guard answer != .success(started) else { return nil }
        let what = "claim by runner \(request.runner)"
        let (rules, part): (JSONValue, Part) =
            switch answer {
            case .success(let ids):
                (
                    .array(ids.map(JSONValue.integer)),
                    .claim(by: request.runner, tape: started, rules: ids)
                )
            case .failure(let error): (.string(error.description), .refused(what, by: error))
            }
        return Difference(
            event: event, what: what, tape: .array(started.map(JSONValue.integer)), rules: rules,
            parts: [part])
    }

    private func compare(
        _ completions: [Completion], _ after: TapeMoment, _ store: MemoryStore, _ at: Timestamp,
        _ event: Int
    ) throws -> Difference? {
        // The tape contains the tasks of follow-ups. Without them the completed task is the same.
        let completions = completions.map { completion in
            var completion = completion
            completion.followUps = []
            return completion
        }
        let ids = completions.map(\.task)
        let tape = after.store(named: file.path)
        let wanted = try tape.readBlocking { reader in try ids.map { try reader.task($0) } }
        let orphans = Dictionary(
            wanted.compactMap { task in
                task?.state.lingering.flatMap { $0.kind == .orphan ? (task?.id ?? 0, $0.pid) : nil }
            }, uniquingKeysWith: { first, _ in first })
        let answer = try ask(store, at) { mutation in
            _ = try mutation.settle(completions) { task, _ in
                orphans[task.id].map { .orphan(pid: $0) } ?? .gone
            }
        }
        if case .failure(let error) = answer {
            let what = "the end of #\(ids.first ?? 0)"
            return Difference(
                event: event, what: what, tape: "it was settled",
                rules: .string(error.description), parts: [.refused(what, by: error)])
        }
        let found = try store.readBlocking { reader in try ids.map { try reader.task($0) } }
        let all = zip(ids, zip(wanted, found)).compactMap { id, pair in
            TaskDifference(id, tape: pair.0, rules: pair.1)
        }
        guard let first = all.first else { return nil }
        return Difference(
            event: event, what: "\(first.field) of #\(first.id) after its end", tape: first.tape,
            rules: first.rules, parts: all.map(\.part))
    }

    private func ask<Value: Sendable>(
        _ store: MemoryStore, _ at: Timestamp,
        _ body: @escaping @Sendable (Mutation) throws -> Value
    ) throws -> Result<Value, QueueError> {
        do {
            return .success(try store.transactBlocking(at: at, body))
        } catch let error as QueueError {
            return .failure(error)
        }
    }
}

extension TapeCommit {
    fileprivate func part(_ span: Range<Int>) -> TapeCommit {
        var part = TapeCommit(at: at)
        part.changes = Array(changes[span])
        return part
    }
}
