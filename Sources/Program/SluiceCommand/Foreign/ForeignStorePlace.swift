import SluiceControl
import SluiceForeignQueues
import SluiceModel
import SluiceSystem

/// The store of other systems that a command line means.
struct ForeignStorePlace: Hashable, Sendable {
    var address: String
    /// The system, if named.
    var system: String?
    /// The command, in its own words; nil for a console.
    var command: String?

    /// Interprets the words after `sluice`; `nil` for a Sluice store, unless `isNoneOfOurs`.
    init?(_ words: [Word], environment: String?, isNoneOfOurs: Bool = false) {
        let found = Action.command(in: words.map(\.text))
        // Help and what a person keeps for themselves are of no store.
        if found?.named.action.subject == .program { return nil }
        let command = found?.named.command ?? CommandLineParser.consoleCommand
        // The command-line parser reports errors.
        guard let arguments = try? Arguments(command, words: words[(found?.words ?? 0)...]),
            let given = try? CommandLineParser.common(arguments)
        else { return nil }
        let store = StorePlace.name(given: given.store, environment: environment)
        // An import can read foreign queues, but writes to a Sluice store.
        let isForeign =
            found?.named.action.id != .importTasks && (isNoneOfOurs || given.system != nil)
        guard isForeign || ForeignStore.isForeign(store) else { return nil }
        self.init(store, as: given.system)
        if found != nil { self.command = command.name }
    }

    /// An address, and its system if known.
    init(_ address: String, as system: String?) { (self.address, self.system) = (address, system) }

    /// Looks for systems at the address.
    func find() throws(QueueError) -> ForeignStore.Finding {
        try ForeignStore.find(address, as: system, keepers: .processes(of: address))
    }

    /// Opens all systems at the address, or only the named one.
    func open(as one: String? = nil) throws(QueueError) -> ForeignStore {
        try ForeignStore.open(address, as: one ?? system, keepers: .processes(of: address))
    }
}

extension QueueError {
    /// Whether the error has a cause other than a missing store of this program: several systems
    /// are there, or the server did not answer a question.
    var saysMoreThanNoStore: Bool { [.notLegal, .serverGone, .storeBusy].contains(code) }
}

extension KeeperLauncher {
    /// The hidden verb of the process that holds a queue.
    static let verb = "__keep"

    /// Starts this program again for each queue that is held; it learns the store from its
    /// environment, and outlives the command.
    static func processes(of store: String) -> KeeperLauncher {
        KeeperLauncher { system, queue in
            let path = try ProcessIdentity.executablePath()
            let others = ProcessIdentity.environment().filter { !$0.hasPrefix("SLUICE_STORE=") }
            _ = try ChildProcess.spawn(
                Spawn(
                    path, [verb, system, queue],
                    environment: others + ["SLUICE_STORE=\(store)"], directory: "/",
                    input: .null, output: .null, errors: .null))
        }
    }

    /// Holds a queue in this process, which was started for that purpose.
    static func keep(_ system: String, _ queue: String, _ store: String) throws -> ExitCode {
        try ForeignStorePlace(store, as: system).open().ask { try $0.keep(queue) }
        return .done
    }
}
