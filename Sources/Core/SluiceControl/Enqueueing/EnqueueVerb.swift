import SluiceModel
public import SluiceStore

/// Enqueues tasks, all in one commit (T3).
package struct EnqueueVerb: StoreVerb {
    package let queue: String
    let requests: [EnqueueRequest]

    package var verbName: String { "enqueue" }
    package var growingQueue: String? { Names.composed(queue) }

    package func command(in text: CommandText) -> String {
        guard requests.count == 1, let request = requests.first else {
            return ShellWord.command("enqueue", queue, " --jsonl FILE")
        }
        let payload = String(validating: request.payload, as: UTF8.self)
        let words = [queue, request.type] + [payload].compactMap { $0 }.filter { !$0.isEmpty }
        return "enqueue" + (payload == nil ? " --payload-file FILE" : "")
            + (words.contains { $0.hasPrefix("-") } ? " --" : "")
            + words.map { " " + ShellWord.quoted($0) }.joined()
    }

    package func lines(in script: VerbScript) -> String { script.lines(of: requests, to: queue) }

    package func perform(in context: VerbContext) throws {
        var rest = CollectionOfOne(requests).makeIterator()
        try perform(in: context) { rest.next() }
    }

    /// Enqueues tasks that come by the batch.
    func perform(
        in context: VerbContext, _ next: () throws -> [EnqueueRequest]?
    ) throws {
        let name = queue
        var enqueued: [EnqueueRequest] = []
        var (hasPriority, hasMembers, type): (Bool, Bool, String?) = (false, false, nil)
        let result = try context.mutation.enqueue(to: name) {
            let requests = try next()
            hasPriority =
                hasPriority
                || requests?.contains { $0.priority != 0 || $0.priorityName != nil } ?? false
            hasMembers = hasMembers || requests?.contains { !$0.groupMembers.isEmpty } ?? false
            type = type ?? requests?.first?.type
            Self.keep(requests ?? [], in: &enqueued)
            return requests
        }
        context.answer.changed = result.ids
        context.answer.createdQueue = result.createdQueue ? Names.composed(name) : nil
        if hasPriority, try context.mutation.queue(name).settings.order != .priority {
            context.answer.consequences.append(
                "the order of \(name) is not priority, so the priority has no effect")
        }
        if hasMembers {
            context.answer.consequences += try context.store.groupMistakes(of: result.added).map(
                \.description)
        }
        try tellKept(result, in: context)
        guard let first = result.added.first else { return }
        let text =
            result.added.count == 1
            ? "#\(first) \(type ?? "task") enqueued by \(context.person)"
            : "\(result.added.count) tasks enqueued by \(context.person)"
        let isOne = result.added.count == 1
        try context.journal(
            "enqueue", queue: name, task: isOne ? first : nil, text, undo: context.mutation.undo,
            script: VerbScript(at: context.now).lines(of: enqueued, to: name))
    }

    /// Says which tasks were kept by their unique keys, and the state of each.
    private func tellKept(_ result: EnqueueResult, in context: VerbContext) throws {
        guard !result.kept.isEmpty else { return }
        let reading = try Reading(context.store, now: context.real)
        var shown: [TaskID: Display] = [:]
        for id in result.kept {
            let state = try shown[id] ?? reading.line(id).display
            shown[id] = state
            context.answer.kept.append(Answer.Kept(id: id, state: state))
        }
        let lines = context.answer.kept.prefix(Self.namedAtMost).map { kept in
            "kept #\(kept.id), which is \(kept.state.rawValue) and has that unique key"
        }
        if result.added.isEmpty, lines.count == 1 {
            context.answer.summary = lines[0]
            return
        }
        if result.added.isEmpty {
            context.answer.summary =
                "nothing is new: \(NumberText.tasks(context.answer.kept.count)) kept"
        }
        let rest = context.answer.kept.count - lines.count
        context.answer.consequences += lines + (rest > 0 ? ["kept: \(rest) more"] : [])
    }

    /// A sentence names no more tasks than this.
    private static let namedAtMost = 10

    /// Keeps enqueued tasks for the script, up to one more than its limit.
    private static func keep(_ requests: [EnqueueRequest], in known: inout [EnqueueRequest]) {
        guard known.count <= VerbScript.taskLimit else { return }
        known += requests.prefix(VerbScript.taskLimit + 1 - known.count)
    }
}

extension Verb {
    /// Enqueues tasks.
    public static func enqueue(queue: String, _ requests: [EnqueueRequest]) -> Verb {
        Verb(EnqueueVerb(queue: queue, requests: requests))
    }
}
