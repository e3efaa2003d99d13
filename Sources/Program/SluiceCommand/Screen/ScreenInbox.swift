import SluiceConsole
import SluiceControl
import SluiceModel
import SluicePlatform

/// What other threads have for the screen's thread; putting something in wakes it.
final class ScreenInbox: Sendable {
    /// Something for the screen.
    enum Item: Sendable {
        case message(ConsoleMessage)
        /// What was found in the store of that succession, and means nothing in another one.
        case found(ConsoleMessage, Int)
        /// A payload that the person wants to edit.
        case edit(TaskTarget, [UInt8])
        /// Another store that took the place of the one that was shown.
        case successor(ScreenStore)
        /// The store that the person wants to see.
        case other(ScreenStore)
        /// The report of some tasks.
        case report([TaskID], Result<String, QueueError>)
    }
    private struct Contents: Sendable {
        var items: [Item] = []
        var hasNotice = false
    }
    private let contents = Protected(Contents())
    /// Up while something lies here.
    let signal: EventSignal

    init() throws(SystemError) { signal = try EventSignal() }

    func put(_ item: Item) {
        contents.withLock { $0.items.append(item) }
        signal.signal()
    }

    /// A commit happened; any number of them until the next look are one.
    func notice() {
        let isFirst = contents.withLock { contents in
            defer { contents.hasNotice = true }
            return !contents.hasNotice
        }
        if isFirst { signal.signal() }
    }

    /// All that lies here, in its order, and whether a commit was noticed.
    func take() -> (items: [Item], hasNotice: Bool) {
        contents.withLock { contents in
            defer { contents = Contents() }
            return (contents.items, contents.hasNotice)
        }
    }
}
