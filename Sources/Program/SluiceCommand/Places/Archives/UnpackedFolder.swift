import SluiceFolderStore
import SluiceModel
import SluiceSystem

/// The queue of an SDK from a zip archive, in a private folder below TMPDIR until `remove`.
///
/// It takes only the files of a queue, and refuses an archive with a name that leads out of its
/// folder. The next one removes the folders of killed processes.
struct UnpackedFolder {
    private static let limitBytes = 256 << 20
    private static let depth = 12

    let queue: String
    private let root: UnfinishedFolder

    init(_ path: String) throws {
        let archive = try ZipArchive(path)
        let base = ProcessIdentity.environment("TMPDIR") ?? "/tmp"
        let root = try UnfinishedFolder(for: "\(base)/sluice-zip")
        self.root = root
        do {
            // A queue at the top has the name of the archive.
            let top = "\(root.path)/\(ArchiveFile.stem(of: path))"
            try Files.makeDirectory(top)
            try Self.unpack(archive, into: top)
            let found = FolderStore.isThere(top) ? [top] : FolderSearch(below: top).found
            switch found.count {
            case 0: throw ArchiveError("no queue/inventory.json is in it")
            case 1: queue = found[0]
            default: throw ArchiveError("\(found.count) queues of an SDK are in it")
            }
        } catch {
            root.remove()
            throw error
        }
    }

    func remove() { root.remove() }

    private static func unpack(_ archive: ZipArchive, into folder: String) throws {
        var left = limitBytes
        for entry in archive.entries {
            let parts = entry.name.split(separator: "/").map(String.init)
            let isInside =
                !entry.name.hasPrefix("/") && !parts.contains("..")
                && !entry.name.contains("\\") && !entry.name.contains("\0")
            guard isInside else {
                throw ArchiveError("the name \(entry.name) leads out of its folder")
            }
            guard entry.isPlainFile, isOfQueue(parts) else { continue }
            left -= entry.sizeBytes
            guard left >= 0 else {
                throw ArchiveError("its queues have more than \(SizeText.compact(limitBytes))")
            }
            let place = ([folder] + parts.dropLast()).joined(separator: "/")
            try Files.makeDirectory(place, withParents: true)
            let name = "\(place)/\(parts[parts.count - 1])"
            try Files.writeAtomically(try archive.content(of: entry), to: name)
        }
    }

    private static func isOfQueue(_ parts: [String]) -> Bool {
        guard let name = parts.last, parts.count <= depth,
            parts.allSatisfy({ $0 != "." && $0.utf8.count <= 255 })
        else { return false }
        return name == "inventory.json"
            || name.hasSuffix(".json") && parts.dropLast().last == "tasks"
    }
}
