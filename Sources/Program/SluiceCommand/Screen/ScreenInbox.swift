import SluiceConsole
import SluiceControl
import SluiceModel
import SluiceSystem

/// The messages of other threads to the screen's thread. A new message wakes it.
final class ScreenInbox: Sendable {
    enum Item: Sendable {
        case message(ConsoleMessage)
        /// A result from the store with this succession number; ignored for another store.
        case found(ConsoleMessage, Int)
        /// A payload that the person wants to edit.
        case edit(TaskTarget, [UInt8])
        /// Another store that replaced the shown one, which had this succession number.
        case successor(ScreenStore, Int)
        /// The store that the person wants to see, asked for at this succession number.
        case other(ScreenStore, Int)
        case report([TaskID], Result<String, QueueError>)
    }
    private struct Contents: Sendable {
        var items: [Item] = []
        var hasNotice = false
    }
    private let contents = Protected(Contents())
    /// The signal; set while messages wait.
    let signal: EventSignal

    init() throws(SystemError) { signal = try EventSignal() }

    func put(_ item: Item) {
        contents.withLock { $0.items.append(item) }
        signal.signal()
    }

    /// A commit happened. Only the first one after `takeNotice` wakes the screen.
    func notice() {
        let isFirst = contents.withLock { contents in
            defer { contents.hasNotice = true }
            return !contents.hasNotice
        }
        if isFirst { signal.signal() }
    }

    /// Takes all messages in order. A notice of a commit stays.
    func take() -> (items: [Item], hasNotice: Bool) {
        contents.withLock { contents in
            defer { contents.items = [] }
            return (contents.items, contents.hasNotice)
        }
    }

    /// Takes the notice, before a read that sees all commits so far.
    func takeNotice() { contents.withLock { $0.hasNotice = false } }
}
