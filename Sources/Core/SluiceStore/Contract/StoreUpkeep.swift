package import SluiceModel

/// Maintenance that an engine does on its own file, outside of bodies: the damage mark, the repair,
/// and the disk space (P3).
package protocol StoreUpkeep: Sendable {
    /// The damage found in the file, or `nil`. While it is set, every write in any process throws
    /// `damagedStore`.
    var damage: String? { get }
    /// Records damage found in the file; an earlier record stays.
    func record(damage: String)
    /// Clears the damage mark after a check without findings.
    func forgetDamage()
    /// Rebuilds a damaged file from its readable rows. Returns one sentence for each: the steps
    /// taken, the path of the damaged file, and the losses.
    func repair() throws -> [String]
    /// The disk space in use.
    func room() throws -> StoreRoom
    /// Returns unused space to the file system while others work. Throws `notLegal` if this would
    /// block writers for longer than a moment, unless `evenIfLong`.
    func compact(evenIfLong: Bool) throws -> StoreRoom
}

/// The size of a store's file, and its contents by table.
package struct StoreRoom: Hashable, Sendable {
    package struct Table: Hashable, Sendable {
        package var name: String
        package var bytes: Int64

        package init(name: String, bytes: Int64) {
            self.name = name
            self.bytes = bytes
        }
    }
    /// The size of the file after a checkpoint of its log, in bytes.
    package var bytes: Int64
    /// The bytes of its log, until its next checkpoint.
    package var logBytes: Int64 = 0
    /// How many of them nothing uses.
    package var freeBytes: Int64
    /// The tables, the largest first; none where the engine cannot tell them apart.
    package var tables: [Table] = []

    package init(bytes: Int64, freeBytes: Int64) {
        self.bytes = bytes
        self.freeBytes = freeBytes
    }
}

extension QueueError {
    /// The error for a damaged file: the findings, and the command that repairs it.
    package static func damaged(_ path: String, _ what: String) -> QueueError {
        QueueError(
            .damagedStore, "\(path) is damaged and was left as it is: \(what)",
            fix: "\(repair) --store \(ShellWord.quoted(path)) fixes it, and keeps the damaged file")
    }

    private static let repair = "sluice doctor --repair"

    /// The same error during a repair, without the advice to run a repair.
    package var afterRepair: QueueError {
        guard code == .damagedStore, fix.hasPrefix(Self.repair) else { return self }
        return QueueError(
            code, message,
            fix: "a repair cannot read it either; keep the file, and put a backup in its place")
    }
}
