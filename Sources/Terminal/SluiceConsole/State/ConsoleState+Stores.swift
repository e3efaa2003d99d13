import SluiceControl
import SluiceModel
import SluiceTerminalUI

/// Going from one store to another (`:open PATH`).
extension ConsoleState {
    /// Asks for another store; throws what is wrong with the line.
    mutating func openStore(_ line: String) throws(QueueError) {
        let words = ShellLine(line).all
        guard words.count == 2 else {
            throw QueueError(.badValue, "open takes one store", fix: "write open PATH")
        }
        guard bulk == nil else {
            throw QueueError(
                .notLegal, "tasks of this store are being changed", fix: "Esc stops that first")
        }
        modal = nil
        let token = take(nil, command: line)
        send(.open(words[1], token: token))
    }

    /// Begins anew on a store that the person wanted.
    mutating func showStore(_ name: String, kind: String, isReadOnly: Bool) {
        let former = settings.storeName
        settings.recentStores =
            [name, former] + settings.recentStores.filter { $0 != name && $0 != former }
        settings.storeName = name
        settings.isReadOnly = isReadOnly
        settings.openingHint = nil
        settings.storePlace = nil
        reopen(kind: kind, isSame: false)
        message = .note("\(name) is open; : open \(ShellWord.quoted(former)) goes back")
    }
}
