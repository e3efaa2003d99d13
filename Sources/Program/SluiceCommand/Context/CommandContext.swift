import SluiceControl
import SluiceModel
import SluiceStore
import SluiceSystem
import SluiceTapes

/// One command at one store. The store is opened on first use.
final class CommandContext {
    let host: Host
    let common: CommonOptions
    /// Whether the command only reads, so that it opens the store for reading alone.
    let isReader: Bool
    /// Whether the command changes tasks, so that an app at the same folder could conflict.
    let isChange: Bool
    private var opened: (any QueueStore)?
    /// The moment of a command that reads once; its whole answer is about that moment.
    private var moment: Timestamp?
    /// The time of the event viewed on a tape; `nil` at a store (G6).
    private(set) var tapeMoment: Timestamp?

    /// Begins a command. `moment` is the fixed time of a command that reads once; `store` is an
    /// open store.
    init(
        host: Host, common: CommonOptions, isReader: Bool = false, isChange: Bool = false,
        moment: Timestamp? = nil, store: (any QueueStore)? = nil
    ) {
        opened = store
        self.moment = moment
        self.host = host
        self.common = common
        self.isReader = isReader
        self.isChange = isChange
    }

    var storeName: String {
        StorePlace.name(given: common.store, environment: host.environment("SLUICE_STORE"))
    }

    /// The name of the store as it may be shown and kept: an address has no password in it.
    var shownName: String { StorePlace(storeName).name }

    var isOpen: Bool { opened != nil }

    /// The store; what fails here is an error of opening.
    func store(
        createsIfMissing: Bool = false, onlyExamines: Bool = false,
        durability: StoreRecord.Durability = .full, schemaOwner: String? = nil
    ) throws -> any QueueStore {
        if let opened { return opened }
        // The console of a tape has the moment that it shows open under the tape's name.
        if common.event != nil, TapeFile.isThere(storeName) { return try openTape() }
        let access = StoreAccess(
            isReadOnly: common.isReadOnly || isReader, onlyExamines: onlyExamines,
            createsIfMissing: createsIfMissing && !common.isReadOnly, durability: durability,
            schemaOwner: schemaOwner, moment: moment)
        do {
            opened = try host.openStore(
                storeName, access, mayWriteOnce: access.isReadOnly && !common.isReadOnly,
                announcesUpgrade: !common.isQuiet && !common.isJSON && !host.isScreen)
        } catch {
            guard TapeFile.isThere(storeName) else {
                let error = QueueError(describing: error)
                throw Failed(error, exit: ExitCode(error, atOpening: true))
            }
            return try openTape()
        }
        try refuseEventOfStore()
        // A store at a server has its own clock.
        if moment != nil, opened?.clock != nil { moment = host.now() }
        warnOfApp(access)
        return try self.store()
    }

    private func openTape() throws -> any QueueStore {
        let view = try viewOfTape()
        (opened, moment, tapeMoment) = (view.store, view.at, view.at)
        return view.store
    }

    func now() throws -> Timestamp { try now(createsIfMissing: false) }

    /// The store's current time for waiting tasks (G3). Opens the store.
    func now(createsIfMissing: Bool) throws -> Timestamp {
        let store = try store(createsIfMissing: createsIfMissing)
        let time = try store.readBlocking { try $0.storeRecord().time }
        return time.time(at: tapeMoment ?? host.now())
    }

    /// Says on standard error, to people, that an app may work at the same folder (P6).
    private func warnOfApp(_ access: StoreAccess) {
        guard isChange, !access.isReadOnly, !common.isQuiet, !common.isJSON, !host.isScreen,
            StorePlace(storeName).isFolder
        else { return }
        // If the warning cannot be written, continue with the change.
        try? host.remark(StorePlace.appHint)
    }

    /// The current time. It is fixed for a command that reads once.
    var instant: Timestamp { moment ?? host.now() }

    func read<Value: Sendable>(
        _ body: @escaping @Sendable (Reading) throws -> Value
    ) throws -> Value {
        let (store, now) = (try store(), instant)
        let signs = VitalSigns(of: store)
        return try store.readBlocking {
            try body(Reading($0, now: now, signs: signs))
        }
    }

    /// The verbs of this person at the store.
    func control(createsIfMissing: Bool = false) throws -> Control {
        let store = try store(createsIfMissing: createsIfMissing)
        let (realNow, moment) = (host.now, tapeMoment)
        return Control(
            store: store, person: person, now: { moment ?? realNow() }, chance: host.chance)
    }

    /// Ends the store's threads and connections.
    func close() { opened?.close() }
}
