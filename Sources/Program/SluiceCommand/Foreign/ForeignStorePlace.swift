import SluiceControl
import SluiceForeignQueues
import SluiceModel
import SluicePlatform

/// The store of other systems that a command line means.
struct ForeignStorePlace: Hashable, Sendable {
    /// Its address.
    var address: String
    /// What it is, where that was said.
    var system: String?
    /// The command, in its own words; nil for a console.
    var command: String?

    /// What the words after `sluice` mean; nil where the store is one of this program's own, unless
    /// it was found to be none.
    init?(_ words: [Word], environment: String?, isNoneOfOurs: Bool = false) {
        let found = Action.command(in: words.map(\.text))
        // Help and what a person keeps for themselves are of no store.
        if found?.named.action.subject == .program { return nil }
        let command = found?.named.command ?? CommandLineParser.consoleCommand
        // The parser of command lines says what is wrong.
        guard let arguments = try? Arguments(command, words: words[(found?.words ?? 0)...]),
            let given = try? CommandLineParser.common(arguments)
        else { return nil }
        let store = StorePlace.name(given: given.store, environment: environment)
        // What an import reads may be another system's; what it fills is a store of our own.
        let isForeign =
            found?.named.action.id != .importTasks && (isNoneOfOurs || given.system != nil)
        guard isForeign || ForeignStore.isForeign(store) else { return nil }
        self.init(store, as: given.system)
        if found != nil { self.command = command.name }
    }

    /// An address; `system` says what it is, where that is known.
    init(_ address: String, as system: String?) { (self.address, self.system) = (address, system) }

    /// Opens it, or the one system of it that is named.
    func open(as one: String? = nil) throws(QueueError) -> ForeignStore {
        try ForeignStore.open(address, as: one ?? system, keepers: .processes(of: address))
    }
}

extension KeeperLauncher {
    /// The verb of the process that holds a queue; it stands in no list.
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

    /// Holds a queue in this process, which was started for that.
    static func keep(_ system: String, _ queue: String, _ store: String) throws -> ExitCode {
        try ForeignStorePlace(store, as: system).open().ask { try $0.keep(queue) }
        return .done
    }
}
