import SluiceModel
import SluiceSystem

/// Another program that follows the folder's format: it writes in place like the SDK, or replaces
/// files like a tool.
struct ForeignProgram: Sendable {
    /// How it writes a file.
    enum Way: String, CaseIterable, Sendable {
        case inPlace, byRename
    }

    let folder: String
    let way: Way

    private var inventory: String { "\(folder)/inventory.json" }

    /// Writes `text` into the file at `path`.
    func write(_ text: String, to path: String) throws {
        switch way {
        case .byRename: try Files.writeAtomically(Array(text.utf8), to: path, mode: 0o644)
        case .inPlace:
            let file = try Special.openForWriting(path)
            try file.writeAll(Array(text.utf8))
        }
    }

    /// The current elements of the inventory; `nil` if unreadable.
    func elements() throws -> [String]? {
        let bytes = try Files.read(inventory, limitBytes: 1 << 26)
        guard let value = try? JSONValue.parse(bytes), let elements = value.array else {
            return nil
        }
        return elements.map { $0.text.replacing("/", with: "\\/") }
    }

    static func task(_ id: String, type: String) -> (entry: String, file: String) {
        let item = SDKFolder.Item(
            id: id,
            entry: "{\"created_at\":1,\"task_persisted_id\":\"\(id)\",\"task_type\":\"\(type)\"}",
            data: "e30=", type: type, runs: 0)
        return (item.entry, item.file)
    }

    /// Adds a task to an earlier read, as the SDK does: first its file, then the inventory.
    func add(_ id: String, type: String, to elements: [String]) throws {
        let (entry, file) = Self.task(id, type: type)
        try write(file, to: "\(folder)/tasks/\(id).json")
        try write("[\((elements + [entry]).joined(separator: ","))]", to: inventory)
    }

    /// Takes a task away as the SDK does: its entry, then its file.
    func finish(_ id: String, of elements: [String]) throws {
        let rest = elements.filter { !$0.contains("\"\(id)\"") }
        try write("[\(rest.joined(separator: ","))]", to: inventory)
        try Files.remove("\(folder)/tasks/\(id).json")
    }
}
