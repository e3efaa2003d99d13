import SluiceControl
import SluiceModel
import SluicePlatform
import SluiceStore
import SluiceTapes

/// A tape in the place of a store: reading commands see one of its moments (G6).
extension CommandContext {
    /// The moment of `--at`, else the end. Throws `readOnly` for a command that may change
    /// something, with the one that makes a store of a moment; `badValue` for an event that the
    /// tape has not, and what opening it throws.
    func viewOfTape() throws -> TapePlayer.View {
        do {
            guard isReader else { throw QueueError.unchangeableTape(storeName) }
            let file = try TapeFile(storeName)
            try file.check(common.event)
            if let remark = file.remark, !common.isJSON, !common.isQuiet {
                try host.write(SafeText.printed(["sluice: \(remark)"]), .errors)
            }
            return try TapePlayer.view(of: file, at: common.event ?? file.count)
        } catch let error as QueueError {
            throw Failed(error, exit: ExitCode(error, atOpening: true))
        }
    }

    /// Whether the store is a tape, or a moment of a tape open in a console. Does not open another
    /// store's file, since closing it would release the locks on it.
    func isTape() throws -> Bool {
        let store = try store()
        return tapeMoment != nil || store is MemoryStore && TapeFile.isThere(storeName)
    }

    /// Throws `badValue` for an event at a store that is not a tape.
    func refuseEventOfStore() throws {
        guard common.event != nil else { return }
        throw QueueError(
            .badValue, "--at: \(shownName) is a store, not a tape",
            fix: "sluice record FILE makes a tape of it")
    }

    /// Throws `notLegal` on a tape, where waiting is pointless.
    func refuseWaitingOnTape(fix: String) throws {
        _ = try store()
        guard tapeMoment != nil else { return }
        throw QueueError.notLegal("\(storeName) is a tape: nothing more happens on it", fix: fix)
    }
}

extension TapeFile {
    /// Throws `badValue` for an event that it has not.
    func check(_ event: Int?) throws(QueueError) {
        guard let event, event > count else { return }
        throw QueueError(
            .badValue, "--at: there is no event \(event) in \(path)", fix: "allowed: 0 to \(count)")
    }
}

extension QueueError {
    /// The error for an `import` from a tape.
    static func importOfTape(_ path: String) -> QueueError {
        QueueError(
            .notAStore, "\(path) is a tape, the recording of a store, and no file of tasks",
            fix: "sluice replay \(ShellWord.quoted(path)) --at EVENT --into NEW.db makes a store "
                + "of one of its moments, to import tasks from")
    }

    /// The error for a change of a tape, with the command that makes a store of it.
    static func unchangeableTape(_ path: String) -> QueueError {
        QueueError(
            .readOnly, "\(path) is a tape: the past cannot be changed",
            fix: "sluice replay \(ShellWord.quoted(path)) --at EVENT --into NEW.db "
                + "makes a store of one of its moments")
    }
}
