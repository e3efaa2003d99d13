package import SluiceModel

/// What an engine does for a file of its own, outside every body: the word that it was found
/// damaged, its repair, and the room that it takes (P3).
package protocol StoreUpkeep: Sendable {
    /// What the file was found damaged by; nil where it was not. As long as there is something,
    /// every write is refused with `damagedStore`, in any process.
    var damage: String? { get }
    /// Notes what the file was found damaged by; what was found before stays.
    func note(damage: String)
    /// The file was looked at, and is whole.
    func forgetDamage()
    /// Makes a damaged file whole again, as far as its rows can be read; says what was done, where
    /// the damaged file is kept, and what was lost, one sentence each.
    func repair() throws -> [String]
    /// What takes the room.
    func room() throws -> StoreRoom
    /// Gives back the room that nothing uses any more, while others work. Where that would hold up
    /// whoever writes for longer than a moment it is refused (`notLegal`), unless `evenIfLong`.
    func compact(evenIfLong: Bool) throws -> StoreRoom
}

/// How large a store's file is, and what is in it.
package struct StoreRoom: Hashable, Sendable {
    /// A table with its indexes.
    package struct Table: Hashable, Sendable {
        /// The name.
        package var name: String
        /// Its bytes.
        package var bytes: Int64

        /// A table of so many bytes.
        package init(name: String, bytes: Int64) {
            self.name = name
            self.bytes = bytes
        }
    }
    /// The bytes of the file as it stands when its log is worked in.
    package var bytes: Int64
    /// The bytes of its log, until its next checkpoint.
    package var logBytes: Int64 = 0
    /// How many of them nothing uses.
    package var freeBytes: Int64
    /// The tables, the largest first; none where the engine cannot tell them apart.
    package var tables: [Table] = []

    /// A file of so many bytes.
    package init(bytes: Int64, freeBytes: Int64) {
        self.bytes = bytes
        self.freeBytes = freeBytes
    }
}

extension QueueError {
    /// The file of a store is damaged: what was found, and the command that mends it.
    package static func damaged(_ path: String, _ what: String) -> QueueError {
        QueueError(
            .damagedStore, "\(path) is damaged and was left as it is: \(what)",
            fix: "\(repair) --store \(ShellWord.quoted(path)) mends it, and keeps the damaged file")
    }

    private static let repair = "sluice doctor --repair"

    /// The same where it is the repair that met it: it sends nobody back to itself.
    package var afterRepair: QueueError {
        guard code == .damagedStore, fix.hasPrefix(Self.repair) else { return self }
        return QueueError(
            code, message,
            fix: "a repair cannot read it either; keep the file, and put a backup in its place")
    }
}
