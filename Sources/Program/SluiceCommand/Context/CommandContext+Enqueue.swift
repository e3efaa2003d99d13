import SluiceControl
import SluiceModel
import SluiceStore
import SluiceTransfer

/// `enqueue`: one task, or many in one commit (T3).
extension CommandContext {
    func enqueue(_ call: EnqueueCall) throws -> Reply {
        switch call.source {
        case .one(var request, let payload):
            if let payload { request.payload = try host.bytes(of: payload, as: "--payload-file") }
            let control = try control(createsIfMissing: true)
            let made = try adoption()(request)
            var answer = try control.performBlocking(.enqueue(queue: call.queue, [made]))
            if let event = answer.undo { host.recordDone(event) }
            if let remark = made.payloadRemark { answer.consequences.append(remark) }
            return try reply(answer, call.queue)
        case .lines(let source):
            let file = try lineFile(source)
            let queue = call.takesAnyQueue ? nil : call.queue
            let moment = try now(createsIfMissing: true)
            guard try file.batches(now: moment, queue: queue).next() != nil else {
                return Reply(
                    .object(AnswerJSON.enqueue(Answer())), ["no lines, so nothing to enqueue"])
            }
            let control = try control(createsIfMissing: true)
            let adopt = try adoption()
            let answer = try control.enqueueBlocking(to: call.queue) {
                let batches = try file.batches(now: moment, queue: queue)
                return { try batches.next()?.map(adopt) }
            }
            return try reply(answer, call.queue)
        }
    }

    private func reply(_ answer: Answer, _ queue: String) throws -> Reply {
        var reply = Reply(.object(AnswerJSON.enqueue(answer)), try lines(answer, queue))
        reply.isConfirmation = true
        return reply
    }

    private func lineFile(_ source: ByteSource) throws -> TaskLineFile {
        do {
            return try host.lines?(source)
                ?? TaskLineFile(bytes: host.read(source, Host.payloadLimitBytes))
        } catch {
            throw Host.unreadable(error, "--jsonl")
        }
    }

    /// A task that a `command` handler enqueues is the child of its task, one level deeper. A chain
    /// can continue forever if each child waits for a later time (T6).
    private func adoption() throws -> @Sendable (EnqueueRequest) -> EnqueueRequest {
        guard let text = host.environment("SLUICE_PARENT"), let parent = TaskID(text),
            let task = try store().readBlocking({ try $0.task(parent) })
        else { return { $0 } }
        let (now, depth) = (try now(), task.depth + 1)
        return { request in
            guard request.parent == nil else { return request }
            var child = request
            child.parent = parent
            child.depth = request.notBefore.map { $0 > now } ?? false ? 0 : depth
            return child
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
                "  \(created) is new, with the defaults: fifo, 1 at a time, 10 attempts; "
                    + "sluice \(ShellWord.command("queue set", created)) changes them")
        }
        lines += answer.consequences.map { "  \($0)" }
        return lines.map(SafeText.visible)
    }
}

extension EnqueueRequest {
    /// A warning about a payload that looks like JSON but is invalid.
    fileprivate var payloadRemark: String? {
        guard let first = payload.first(where: { !" \t\r\n".utf8.contains($0) }),
            "{[\"".utf8.contains(first)
        else { return nil }
        do {
            _ = try JSONValue.parse(payload)
            return nil
        } catch {
            return "its payload is no JSON and is kept as text: \(error)"
        }
    }
}
