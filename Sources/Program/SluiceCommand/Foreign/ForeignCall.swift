import SluiceControl
import SluiceForeignQueues
import SluiceModel

/// A command line whose store is another system's: understood by the same table of actions, its
/// tasks named by their own system's ids.
struct ForeignCall {
    /// What is asked for; nil where no verb was given.
    var action: Action.ID?
    /// All of it, as it was given.
    var words: [Word]
    /// The words behind the verb.
    var arguments: Arguments
    /// The address of the store.
    var store: String
    /// What it is, where that was said.
    var system: String?
    /// The options of every verb.
    var common: CommonOptions

    /// Whether it asks for the console, and where it can be shown: elsewhere the queues are told.
    func wantsScreen(_ host: Host) -> Bool {
        let canShow = (try? host.requireScreen(for: "the console", fix: "")) != nil
        return action == nil && !common.isJSON && canShow
    }

    /// The words after `sluice`; nil where the store is one of this program's own, unless it was
    /// found to be none.
    init?(
        _ words: [Word], environment: String?, isNoneOfOurs: Bool = false
    ) throws(QueueError) {
        let found = Action.command(in: words.map(\.text))
        // Help and what a person keeps for themselves are of no store.
        if found?.named.action.subject == .program { return nil }
        let command = found?.named.command ?? CommandLineParser.consoleCommand
        let (arguments, given): (Arguments, String?)
        do throws(QueueError) {
            arguments = try Arguments(command, words: words[(found?.words ?? 0)...])
            given = try CommandLineParser.store(arguments)
        } catch {
            // The parser of command lines says what is wrong.
            return nil
        }
        let store = StorePlace.name(given: given, environment: environment)
        // What an import reads may be another system's; what it fills is a store of our own.
        let isForeign =
            found?.named.action.id != .importTasks
            && (isNoneOfOurs || arguments.text("--as") != nil)
        guard isForeign || ForeignStore.isForeign(store) else {
            return nil
        }
        self.words = words
        action = found?.named.action.id
        self.arguments = arguments
        self.store = store
        system = arguments.text("--as")
        common = try CommandLineParser.common(arguments)
    }
}
