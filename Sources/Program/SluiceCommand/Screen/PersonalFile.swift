import SluiceModel
import SluiceSystem
import SluiceTerminalUI

/// A file with a user's settings: its path, and whether it must exist.
struct PersonalFile: Hashable, Sendable {
    /// The maximum size to read.
    static let limitBytes = 1 << 20

    var path: String
    /// Whether the user named the file, so that it must exist.
    var isNamed: Bool

    /// The file of a variable, else of the configuration folder: `$XDG_CONFIG_HOME/sluice/NAME`,
    /// else `~/.config/sluice/NAME`. Nil for a variable that is set to nothing, or without a home.
    static func at(
        _ variable: String, _ name: String, _ environment: (String) -> String?
    ) -> PersonalFile? {
        if let named = environment(variable) {
            return named.isEmpty ? nil : PersonalFile(path: named, isNamed: true)
        }
        let (value, home) = (environment("XDG_CONFIG_HOME"), environment("HOME"))
        return folder(value, else: ".config", home).map {
            PersonalFile(path: "\($0)/sluice/\(name)", isNamed: false)
        }
    }

    /// A folder of the person's: the one of a variable where that is absolute, else one at home.
    static func folder(_ value: String?, else name: String, _ home: String?) -> String? {
        if let value, value.hasPrefix("/") { return value }
        return home.flatMap { $0.hasPrefix("/") ? "\($0)/\(name)" : nil }
    }

    /// Replaces the file, and creates its folder if needed. Throws `denied` on failure.
    func write(_ text: String) throws(QueueError) {
        do throws(SystemError) {
            if let end = path.lastIndex(of: "/"), end > path.startIndex {
                try Files.makeDirectory(String(path[..<end]), withParents: true)
            }
            try Files.writeAtomically(Array(text.utf8), to: path)
        } catch {
            throw QueueError(.denied, error.sentence, fix: "make room, or name another file")
        }
    }

    /// The decoded settings; `nil` if the file is optional and missing. Throws `badValue` with the
    /// line of an error.
    func settings<Settings>(
        _ read: (String) throws(SettingsText.Problem) -> Settings
    ) throws(QueueError) -> Settings? {
        let bytes: [UInt8]
        do {
            bytes = try Files.read(path, limitBytes: Self.limitBytes)
        } catch {
            if error.isMissing, !isNamed { return nil }
            throw QueueError(.badValue, error.sentence, fix: "fix the file, or name another")
        }
        do {
            return try read(String(decoding: bytes, as: UTF8.self))
        } catch {
            throw QueueError(
                .badValue, "\(path), line \(error.line): \(error.message)", fix: error.fix)
        }
    }
}
