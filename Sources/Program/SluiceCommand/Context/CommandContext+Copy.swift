import SluiceControl
import SluiceModel
import SluicePlatform
import SluiceStore
import SluiceTapes
import SluiceTransfer

/// `copy` (D13).
extension CommandContext {
    func copy(_ call: CopyCall) throws -> Reply {
        guard !common.isReadOnly else { throw QueueError.readOnlyStore(call.target) }
        if StorePlace(call.target).isFolder {
            throw QueueError.notLegal(
                "\(call.target) is a folder, which is one queue of the SDK's",
                fix: "sluice export makes such a folder, sluice import adds to one")
        }
        let source = try open(call.source, StoreAccess())
        defer { source.close() }
        guard !call.isRehearsal else { return try rehearse(call, source) }
        let target = try open(call.target, StoreAccess(createsIfMissing: true))
        defer { target.close() }
        var order = StoreCopy(from: control(of: source), to: control(of: target))
        order.queues = call.queues
        order.waitMilliseconds = call.waitMilliseconds
        order.staysInSource = call.staysInSource
        order.again = call.again
        let following = try host.follow(common.isQuiet)
        defer { following.end() }
        let text = CopyText(from: source.name, to: target.name)
        let report = try order.run(watching: following.watch) { try tell($0, text) }
        return text.reply(report)
    }

    private func rehearse(_ call: CopyCall, _ source: any QueueStore) throws -> Reply {
        let target: (any QueueStore)?
        do {
            target = try open(call.target, StoreAccess())
        } catch let failed as Failed where failed.error.code == .noStore {
            target = nil
        }
        defer { target?.close() }
        let report = try StoreCopy.rehearse(
            from: control(of: source), to: target.map(control), queues: call.queues)
        let text = CopyText(from: source.name, to: target?.name ?? StorePlace(call.target).name)
        for queue in report.queues { try tell(queue, text) }
        return text.reply(report)
    }

    /// A line for each queue, when it is done.
    private func tell(_ queue: CopiedQueue, _ text: CopyText) throws {
        if common.isJSON {
            try host.write(text.json(queue).text + "\n", .output)
        } else if !common.isQuiet {
            try host.write(SafeText.visible(text.line(queue)) + "\n", .output)
        }
    }

    private func open(_ name: String, _ access: StoreAccess) throws -> any QueueStore {
        do {
            return try host.openStore(
                name, access,
                announcesUpgrade: !common.isQuiet && !common.isJSON && !host.isScreen)
        } catch {
            let isTape = TapeFile.isThere(name)
            let error = isTape ? QueueError.unchangeableTape(name) : QueueError(describing: error)
            throw Failed(error, exit: ExitCode(error, atOpening: true))
        }
    }

    private func control(of store: any QueueStore) -> Control {
        Control(store: store, person: person, now: host.now, chance: host.chance)
    }
}
