import SluiceControl
import SluiceForeignQueues
import SluiceModel
import SluiceStore
import SluiceSystem
import SluiceTapes
import SluiceTransfer

/// `export` and `import` (P6, K7).
extension CommandContext {
    func export(_ call: ExportCall) throws -> Reply {
        let source = StoreSource(
            try store(), format: try store().transferFormat, queue: call.queue,
            filter: call.filter, now: instant)
        // Before the sink: a signal is heard from its first file on.
        let following = try host.follow(common.isQuiet)
        defer { following.end() }
        let sink = try sink(of: call)
        let report = try TransferExport(from: source, to: sink).run(watching: following.watch)
        return ExportText.reply(report, call, archive: sink as? HARSink)
    }

    private func sink(of call: ExportCall) throws -> any TransferSink {
        switch call.format {
        case .lines where call.target == "-":
            return OutputSink { [host] in try host.write($0, .output) }
        case .lines: return try LinesSink(path: call.target)
        case .sqlite:
            return try SQLiteSink(
                path: call.target, source: shownName, person: person, now: host.now)
        case .folder: return try FolderSink(path: call.target)
        case .har:
            return try HARSink(
                path: call.target, version: Release.version, redacting: call.redacted)
        }
    }

    func importTasks(_ call: ImportCall) throws -> Reply {
        let (source, opened) = try source(of: call)
        defer { opened?.close() }
        let control = try control(createsIfMissing: true)
        var order = TransferImport(
            control, queue: try call.queue ?? folderQueue(control.store))
        order.again = call.again
        let following = try host.follow(common.isQuiet)
        defer { following.end() }
        let report = try order.run(source, watching: following.watch)
        return ImportText.reply(report, source)
    }

    /// The base of relative times such as `+5m`: the store's clock, if the store exists.
    private func moment() throws -> Timestamp {
        do {
            return try now()
        } catch let failed as Failed where failed.error.code == .noStore {
            return host.now()
        }
    }

    /// The only queue of a folder, for tasks without another target.
    private func folderQueue(_ store: any QueueStore) throws -> String? {
        guard store.transferFormat == .folder else { return nil }
        return try store.readBlocking { try $0.queues().first?.name }
    }

    private func source(
        of call: ImportCall
    ) throws -> (any TransferSource, (any QueueStore)?) {
        let now = try moment()
        if ForeignStore.isForeign(call.source) || call.system != nil {
            return (try foreign(call, now), nil)
        }
        guard call.source != "-" else {
            return (try LinesSource.standardInput(filter: call.filter, now: now), nil)
        }
        guard !TapeFile.isThere(call.source) else {
            throw QueueError.importOfTape(call.source)
        }
        let place = StorePlace(call.source)
        let isArchive = !place.isServer && ZipArchive.isThere(call.source)
        if !place.isServer, !isArchive, let refusal = ArchiveFile.refusal(of: call.source) {
            throw refusal
        }
        guard place.isServer || isArchive || StorePlace.isThere(call.source) else {
            return (try LinesSource(path: call.source, filter: call.filter, now: now), nil)
        }
        let store: any QueueStore
        do {
            store = try host.open(place, StoreAccess(isReadOnly: true))
        } catch let error as QueueError where place.isServer && error.code == .noStore {
            // A database without a store of our own may have other systems' tables.
            return (try foreign(call, now), nil)
        } catch let error as QueueError {
            throw Failed(error, exit: ExitCode(error, atOpening: true))
        }
        let source = StoreSource(
            store, format: store.transferFormat, filter: call.filter, now: now)
        return (source, store)
    }

    /// Foreign queues as a read-only source.
    private func foreign(_ call: ImportCall, _ now: Timestamp) throws -> ForeignSource {
        guard call.filter == nil else {
            throw QueueError.notLegal(
                "--filter is for stores of this program's own", fix: "import all, then filter")
        }
        let source = call.source
        let session = try ForeignSession {
            try ForeignStore.open(source, as: call.system, keepers: .processes(of: source))
        }
        let name = ForeignStore.shownName(source)
        if let system = call.system, try session.ask({ try $0.queues() }).isEmpty {
            throw QueueError(
                .notAStore, "\(name) has no queue of \(system)",
                fix: "check --as and the number of the database")
        }
        return ForeignSource(session, name: name, person: person, now: now)
    }
}

extension QueueStore {
    /// Its format, among those between which tasks travel.
    fileprivate var transferFormat: TransferFormat { namesTasks ? .folder : .sqlite }
}

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
