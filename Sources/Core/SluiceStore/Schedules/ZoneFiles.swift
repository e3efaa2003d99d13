package import SluiceModel
import SluiceSystem

/// The time zones that this machine knows: the files of its time zone database.
package enum ZoneFiles {
    /// The rules of a zone by its name, such as `Europe/Berlin`; throws `badValue` where the
    /// machine has none of that name.
    package static func rules(of name: String) throws(QueueError) -> ZoneRules {
        if name == Schedule.utc { return .utc }
        guard isName(name) else { throw unknown(name) }
        guard Files.exists(folder) else {
            throw QueueError(
                .badValue,
                "time zone \"\(name)\": this machine has no time zone database at \(folder)",
                fix: "install the package tzdata, or leave it at UTC")
        }
        let path = "\(folder)/\(name)"
        guard Files.kind(path) == .file, let bytes = try? Files.read(path, limitBytes: 1 << 20)
        else { throw unknown(name) }
        guard let rules = ZoneRules(file: bytes) else {
            throw QueueError(
                .badValue, "time zone \"\(name)\": \(path) is no file of a time zone",
                fix: "take a zone such as Europe/Berlin, or UTC")
        }
        return rules
    }

    /// The zone of this machine, as C programs find it: `TZ`, else `/etc/localtime`.
    package static func ofMachine(at now: Timestamp) -> ZoneRules {
        ofMachine(named: ProcessIdentity.environment("TZ"))
            ?? .fixed(
                seconds: Int64(
                    LocalTime(millisecondsSince1970: now.milliseconds).utcOffsetSeconds))
    }

    /// The same for a value of `TZ`; `nil` if it says nothing that can be read.
    package static func ofMachine(named value: String?) -> ZoneRules? {
        guard let value else { return Files.exists(local) ? file(local) : .utc }
        let name = value.hasPrefix(":") ? String(value.dropFirst()) : value
        if name.isEmpty { return .utc }
        if name.hasPrefix("/") { return file(name) }
        return (try? rules(of: name)) ?? ZoneRules(rule: name)
    }

    private static let local = "/etc/localtime"

    private static func file(_ path: String) -> ZoneRules? {
        (try? Files.read(path, limitBytes: 1 << 20)).flatMap { ZoneRules(file: $0) }
    }

    /// The folder of the database; `TZDIR` overrides it, as for C programs.
    private static var folder: String {
        let named = ProcessIdentity.environment("TZDIR") ?? ""
        return named.isEmpty ? "/usr/share/zoneinfo" : named
    }

    /// Whether a text may be a zone's name, and never a way out of the folder.
    private static func isName(_ text: String) -> Bool {
        text.utf8.count <= 100
            && text.split(separator: "/", omittingEmptySubsequences: false).allSatisfy { part in
                !part.isEmpty && part.first != "."
                    && part.utf8.allSatisfy { byte in
                        (48...57).contains(byte) || (65...90).contains(byte)
                            || (97...122).contains(byte) || "_+-.".utf8.contains(byte)
                    }
            }
    }

    private static func unknown(_ name: String) -> QueueError {
        let near = Spelling.nearest(to: name, among: names)
        return QueueError(
            .badValue, "there is no time zone \"\(name)\" on this machine",
            fix: near.map { "did you mean \($0)?" }
                ?? "a zone is named as in \(folder), such as Europe/Berlin or UTC")
    }

    private static var names: [String] {
        guard let bytes = try? Files.read("\(folder)/zone.tab", limitBytes: 1 << 20) else {
            return [Schedule.utc]
        }
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
        return [Schedule.utc]
            + lines.filter { !$0.hasPrefix("#") }.compactMap { line in
                let columns = line.split(separator: "\t")
                return columns.count > 2 ? String(columns[2]) : nil
            }
    }
}
