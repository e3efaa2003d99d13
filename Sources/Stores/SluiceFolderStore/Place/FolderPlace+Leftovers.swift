import SluiceModel
import SluicePlatform

/// Temporary files of an interrupted export.
extension FolderPlace {
    /// Temporary and displaced inventories.
    func leftInventories() throws(QueueError) -> [String] {
        try left(in: path, of: [Files.lastName(of: inventoryPath)])
    }

    /// Temporary task files.
    func leftFiles(of names: Set<String>) throws(QueueError) -> [String] {
        try left(in: tasksPath, of: names)
    }

    /// The names of the files of tasks, as far as they may be such.
    func taskFileNames() throws(QueueError) -> [String] {
        try names(in: tasksPath).filter { name in
            name.hasSuffix(".json") && name.utf8.first != UInt8(ascii: ".")
        }
    }

    private func left(in folder: String, of names: Set<String>) throws(QueueError) -> [String] {
        try self.names(in: folder).filter { Self.isTemporary($0, of: names) }
            .map { "\(folder)/\($0)" }
    }

    private func names(in folder: String) throws(QueueError) -> [String] {
        guard status(folder)?.kind == .folder else { return [] }
        do {
            return try Files.list(folder)
        } catch {
            throw QueueError(.denied, error.sentence, fix: "look at the folder \(folder)")
        }
    }

    private static func isTemporary(_ name: String, of names: Set<String>) -> Bool {
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count >= 4, parts.last == "tmp",
            parts[parts.count - 2].allSatisfy({ $0.isASCII && ($0.isNumber || $0.isLowercase) })
        else { return false }
        return names.contains(parts.dropLast(2).joined(separator: "."))
    }
}
