import SluiceModel
import SluiceSystem

/// The SDK's folders somewhere below one that a person has: an app's container, a copy of it, the
/// folder of all sites.
package struct FolderSearch: Hashable, Sendable {
    /// The folders with an inventory, in the order of their paths.
    package private(set) var found: [String] = []
    /// Whether the search ended at a limit.
    package private(set) var isCut = false
    /// The number of names that were looked at.
    package private(set) var looked = 0
    /// The folders that this user may not read.
    package private(set) var unreadable: [String] = []

    /// The maximum number of names to visit; an app's container has some thousand.
    package static let limit = 20_000
    /// The maximum depth; the SDK's folder is six levels below a container.
    package static let depth = 10

    /// Looks below a folder. Links are not followed.
    package init(below path: String) { look(path, depth: 0) }

    private mutating func look(_ folder: String, depth: Int) {
        guard depth < Self.depth else { return }
        guard let names = try? Files.list(folder) else {
            unreadable.append(folder)
            return
        }
        for name in names.sorted() {
            guard looked < Self.limit else {
                isCut = true
                return
            }
            looked += 1
            let path = folder.hasSuffix("/") ? folder + name : "\(folder)/\(name)"
            guard Files.kind(path, followLinks: false) == .folder else { continue }
            if Self.isQueue(path) { found.append(path) } else { look(path, depth: depth + 1) }
        }
    }

    /// Other programs also have an `inventory.json`. The SDK's file is next to a `tasks` folder, or
    /// in a folder named `queue`.
    private static func isQueue(_ path: String) -> Bool {
        guard Files.kind("\(path)/inventory.json", followLinks: false) == .file else {
            return false
        }
        return Files.lastName(of: path) == "queue"
            || Files.kind("\(path)/tasks", followLinks: false) == .folder
    }
}
