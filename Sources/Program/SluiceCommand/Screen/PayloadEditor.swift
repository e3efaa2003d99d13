import SluiceConsole
import SluiceControl
import SluiceModel
import SluiceSystem

/// Lets a person edit a payload in their editor: a private file, read back and checked.
struct PayloadEditor {
    private static let limitBytes = 64 << 20

    /// The interval of renewals, well below the edit's lease.
    private static let renewalMilliseconds = Int(EditLease.milliseconds / 5)

    let target: TaskTarget
    let payload: [UInt8]
    /// Lets the edit last on, called from time to time while the editor is open.
    let renew: () -> Void
    /// The signals that end the console, which end the editor too.
    let signals: SignalInbox
    /// The signal that ended the editor, for the console to end by.
    private(set) var ending: Signal?

    /// Runs the editor on the terminal of this process and waits for its end.
    mutating func run() -> EditReport {
        do {
            return try edit()
        } catch let error as QueueError {
            return .failed(target, error)
        } catch let error as SystemError {
            return .failed(
                target, QueueError(.denied, error.sentence, fix: "nothing was changed"))
        } catch {
            return .failed(target, QueueError(.denied, "\(error)", fix: "nothing was changed"))
        }
    }

    private mutating func edit() throws -> EditReport {
        let folder = try Files.makeTemporaryDirectory(prefix: "sluice-edit-")
        let value = try? JSONValue.parse(payload)
        let path = "\(folder)/task-\(target.id)" + (value == nil ? ".txt" : ".json")
        let shown = value.map { $0.text(indent: 2) + "\n" }
        let before = shown.map { Array($0.utf8) } ?? payload
        try Files.writeAtomically(before, to: path)
        do {
            try open(path)
        } catch {
            try Files.removeTree(folder)
            throw error
        }
        let after = try Files.read(path, limitBytes: Self.limitBytes)
        guard after != before else {
            try Files.removeTree(folder)
            return .unchanged(target)
        }
        guard let value else {
            try Files.removeTree(folder)
            return .changed(target, before: payload, after: after)
        }
        let saved: JSONValue
        do throws(JSONError) {
            saved = try JSONValue.parse(after)
        } catch {
            throw QueueError(
                .badValue, "the saved text is not JSON: \(error.description)",
                fix: "nothing was changed; your text is in \(path)")
        }
        try Files.removeTree(folder)
        if saved == value { return .unchanged(target) }
        return .changed(target, before: payload, after: saved.bytes)
    }

    /// Runs the editor. Its setting is a command line of the shell, as git reads it.
    private mutating func open(_ path: String) throws {
        let editor = Self.setting(ProcessIdentity.environment(_:))
        var program = TerminalProgram(signals: signals)
        let exit = try program.run(
            ["-c", "\(editor) \"$@\"", editor, path], every: Self.renewalMilliseconds, renew)
        ending = program.ending
        guard ending == nil, exit == .code(0) else {
            throw QueueError(
                .notLegal, "the editor \(editor) \(exit.sentence)",
                fix: "nothing was changed")
        }
    }

    /// The command line of the person's editor.
    static func setting(_ environment: (String) -> String?) -> String {
        for name in ["VISUAL", "EDITOR"] {
            if let value = environment(name), !value.allSatisfy(\.isWhitespace) { return value }
        }
        return "vi"
    }

    /// Saves a person's text. If the store refuses it, a file of the person keeps it.
    static func keeping(
        _ payload: [UInt8], of target: TaskTarget, _ save: () throws -> Answer
    ) throws -> Answer {
        do {
            return try save()
        } catch var error as QueueError {
            // If the file cannot be written either, report only the refusal.
            if let folder = try? Files.makeTemporaryDirectory(prefix: "sluice-edit-"),
                (try? Files.writeAtomically(payload, to: "\(folder)/task-\(target.id)")) != nil
            {
                error.fix += "; what you wrote is in \(folder)/task-\(target.id)"
            }
            throw error
        }
    }
}
