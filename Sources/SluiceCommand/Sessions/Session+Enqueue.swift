import QueueControl
import QueueModel
import QueueStore
import QueueTransfer

/// `enqueue`: one task, or many in one commit (T3).
extension Session {
    /// How large a payload from a file or standard input may be; the queue's own limit comes after.
    static let payloadLimitBytes = 1 << 28
    /// How large a file of lines may be.
    static let linesLimitBytes = 1 << 30

    func enqueue(_ call: EnqueueCall) throws -> Reply {
        var requests: [EnqueueRequest]
        switch call.source {
        case .one(var request, let payload):
            if let payload { request.payload = try bytes(of: payload, as: "--payload-file") }
            requests = [request]
        case .lines(let source):
            let bytes = try bytes(of: source, as: "--jsonl", limit: Self.linesLimitBytes)
            requests = try TaskLines.requests(bytes, now: now(createsIfMissing: true))
        }
        guard !requests.isEmpty else {
            return Reply(.object(AnswerJSON.enqueue(Answer())), ["no lines, so nothing to enqueue"])
        }
        let control = try control(createsIfMissing: true)
        try adopt(&requests)
        let answer = try control.performBlocking(.enqueue(queue: call.queue, requests))
        var reply = Reply(.object(AnswerJSON.enqueue(answer)), try lines(answer, call.queue))
        reply.isConfirmation = true
        return reply
    }

    /// Bytes that a command line names; throws with the option's name.
    func bytes(
        of source: ByteSource, as option: String, limit: Int = payloadLimitBytes
    ) throws -> [UInt8] {
        do {
            return try host.read(source, limit)
        } catch {
            throw QueueError(
                .badValue, "\(option): \(QueueError(describing: error).message)",
                fix: "name a file that can be read, or - for standard input")
        }
    }

    /// What a `command` handler enqueues is the child of its task, one deeper than it; a chain of
    /// which each waits for a later time may go on for ever (T6).
    private func adopt(_ requests: inout [EnqueueRequest]) throws {
        guard let text = host.environment("SLUICE_PARENT"), let parent = TaskID(text),
            let task = try store().readBlocking({ try $0.task(parent) })
        else { return }
        let now = host.now()
        for index in requests.indices where requests[index].parent == nil {
            requests[index].parent = parent
            let isLater = requests[index].notBefore.map { $0 > now } ?? false
            requests[index].depth = isLater ? 0 : task.depth + 1
        }
    }

    private func lines(_ answer: Answer, _ queue: String) throws -> [String] {
        var lines: [String] = []
        if let first = answer.changed.first, let last = answer.changed.last {
            let count = answer.changed.count
            let names = try names(of: [first, last])
            let all =
                count == 1
                ? names.name(first)
                : "\(count) tasks, \(names.name(first)) to \(names.name(last))"
            lines.append(answer.undo == nil ? answer.summary : "\(all) enqueued in \(queue)")
        }
        if let created = answer.createdQueue {
            lines.append(
                "  \(created) is new, with the defaults: fifo, 1 at once, 10 attempts; "
                    + "sluice \(ShellWord.command("queue set", created)) changes them")
        }
        lines += answer.consequences.map { "  \($0)" }
        return lines.map(SafeText.visible)
    }
}
