import SluiceFolderStore
import SluiceModel
import SluiceStore
import SluiceSystem

extension SDKFolder {
    /// Opens it at the tests' time, with predictable ids.
    func open(
        readOnly: Bool = false, second: Int64 = 0, files: WriteFaults? = nil, ids: Int = 0xA000,
        onStep: (@Sendable (FolderStep) -> Void)? = nil
    ) throws -> FolderStore {
        var options = FolderOptions()
        options.clock = { at(second) }
        options.fileFaults = files
        options.beforeFileStep = onStep
        let number = Protected(ids)
        options.makeID = {
            SDKFolder.id(
                number.withLock { number in
                    number += 1
                    return number
                })
        }
        return try FolderStore.open(path: path, readOnly: readOnly, options: options)
    }
}

extension FolderStore {
    /// Runs a mutation in one write.
    @discardableResult
    func change<Value: Sendable>(
        _ second: Int64 = 0, _ body: @escaping @Sendable (Mutation) throws -> Value
    ) throws -> Value {
        try writeBlocking { writer in
            let value = try writer.transact(at: at(second)) { mutation in
                try body(mutation)
            }
            return value
        }
    }

    /// The only queue.
    var queueName: String {
        get throws { try readBlocking { try $0.queues().first?.name ?? "" } }
    }

    /// The tasks that wait, in their order.
    func waiting() throws -> [QueueTask] {
        let name = try queueName
        return try readBlocking {
            try $0.tasks(matching: TaskQuery(queue: name, state: .waiting, limit: 1000))
        }
    }

    /// Attaches a process that runs every type, without holding its lock.
    func attachRunner() throws -> ProcessID {
        try change { mutation in
            try mutation.attach(
                ProcessRecord(
                    id: 0, role: .runner, host: "h", bootID: "b", pid: 1, lockName: "x",
                    attachedAt: at(0))
            ).id
        }
    }

    /// Attaches this process with its lock, which is held for the life of the object.
    func attachForReal() throws -> (id: ProcessID, life: AnyObject?) {
        let attachment = try Attachment(to: self, role: .runner, now: at(0))
        return (attachment.process.id, attachment)
    }

    /// Claims the next task of the open run, and opens a run if needed. `nil` without a task.
    func claim(_ runner: ProcessID, second: Int64) throws -> Claimed? {
        let name = try queueName
        try change(second) { try $0.openRun(name, limit: nil) }
        return try change(second) { mutation in
            try mutation.claim(ClaimRequest(runner: runner, freeSlots: 1, inFlight: 0)).first
        }
    }

    func settle(_ claimed: Claimed, _ outcome: HandlerOutcome, second: Int64) throws {
        let lease = claimed.task.running
        try change(second) { mutation in
            _ = try mutation.settle([
                Completion(
                    task: claimed.task.id, token: lease?.token ?? 0, ending: .handler(outcome))
            ])
        }
    }
}

extension HandlerOutcome {
    static let done = HandlerOutcome.success(result: nil)
    static let failed = HandlerOutcome.retry(afterMilliseconds: nil, error: "no network")
}
