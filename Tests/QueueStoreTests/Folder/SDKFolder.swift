import SluiceFolderStore
import SluiceModel
import SluiceStore
import SluiceSystem

/// A folder in the SDK's format, with the SDK's operations, written without the codec under test.
final class SDKFolder {
    /// A task as the SDK holds it.
    struct Item {
        var id: String
        var entry: String
        var data: String
        var type: String
        var runs: Int

        var file: String {
            "{\"data\":\"\(data)\",\"run_results\":{\"total_runs\":\(runs)},"
                + "\"storage_id\":\"\(id)\",\"type\":\"\(type)\"}"
        }
    }

    let root: String
    let path: String
    private(set) var items: [Item] = []
    private var added = 0

    init(_ name: String = "site/queue") throws {
        root = try Files.makeTemporaryDirectory(prefix: "folder-test-")
        path = "\(root)/\(name)"
        try Files.makeDirectory("\(path)/tasks", withParents: true)
        try put(text, "inventory.json")
    }

    /// A copy of a folder that the SDK wrote.
    init(copying source: String) throws {
        root = try Files.makeTemporaryDirectory(prefix: "folder-test-")
        path = "\(root)/real/queue"
        added = 0x1000
        try Files.makeDirectory("\(path)/tasks", withParents: true)
        for name in try Files.list("\(source)/tasks").map({ "tasks/\($0)" }) + ["inventory.json"] {
            try put(Self.text("\(source)/\(name)"), name)
        }
        let inventory = try JSONValue.parse(try content("inventory.json"))
        let pieces = try content("inventory.json").dropFirst(2).dropLast(2)
            .replacing("},{", with: "\u{0}").split(separator: "\u{0}")
        for (entry, piece) in zip(inventory.array ?? [], pieces) {
            let id = entry["task_persisted_id"]?.string ?? ""
            let file = try JSONValue.parse(try content("tasks/\(id).json"))
            items.append(
                Item(
                    id: id, entry: "{\(piece)}", data: file["data"]?.string ?? "",
                    type: file["type"]?.string ?? "",
                    runs: Int(file["run_results"]?["total_runs"]?.integer ?? 0)))
        }
    }

    deinit { try? Files.removeTree(root) }

    var text: String { "[" + items.map(\.entry).joined(separator: ",") + "]" }

    private static func text(_ path: String) throws -> String {
        String(decoding: try Files.read(path, limitBytes: 1 << 26), as: UTF8.self)
    }

    func content(_ name: String) throws -> String { try Self.text("\(path)/\(name)") }

    /// Writes a file as it is, whole.
    func put(_ text: String, _ name: String) throws {
        try Files.writeAtomically(Array(text.utf8), to: "\(path)/\(name)", mode: 0o644)
    }

    /// An id like a UUID for the n-th task.
    static func id(_ number: Int) -> String {
        let digits = String(number, radix: 16, uppercase: true)
        return String(repeating: "0", count: 8 - digits.count) + digits
            + "-AAAA-4BBB-8CCC-DDDDDDDDDDDD"
    }

    /// The SDK adds a task: its file, then the inventory.
    @discardableResult
    func add(
        _ type: String, start: String? = nil, members: [String] = [], runs: Int = 0
    ) throws -> String {
        added += 1
        let id = Self.id(added)
        var entry = "{\"created_at\":\(1_670_517_032 + added)"
        if !members.isEmpty {
            entry += ",\"group_member\":[\"\(members.joined(separator: "\",\""))\"]"
        }
        if let start { entry += ",\"group_start\":\"\(start)\"" }
        entry += ",\"task_persisted_id\":\"\(id)\",\"task_type\":\"\(type)\"}"
        items.append(
            Item(id: id, entry: entry, data: "eyJuIjoxfQ==", type: type, runs: runs))
        try put(items[items.count - 1].file, "tasks/\(id).json")
        try put(text, "inventory.json")
        return id
    }

    /// The SDK has run a task with success: its entry goes, then its file.
    func finish(_ id: String, isModel: Bool = false) throws {
        items.removeAll { $0.id == id }
        guard !isModel else { return }
        try put(text, "inventory.json")
        try Files.remove("\(path)/tasks/\(id).json")
    }

    /// The SDK has run a task without success: only its file says so.
    func fail(_ id: String, isModel: Bool = false) throws {
        for index in items.indices where items[index].id == id {
            items[index].runs += 1
            if !isModel { try put(items[index].file, "tasks/\(id).json") }
        }
    }

    /// Holds what another hand has done to the files.
    func model(_ change: (inout [Item]) -> Void) { change(&items) }

    /// The differences from the SDK's format; empty if none.
    func differences() throws -> [String] {
        var found: [String] = []
        if try content("inventory.json") != text {
            found.append("inventory: \(try content("inventory.json")) and not \(text)")
        }
        let names = try Files.list("\(path)/tasks")
        let wanted = items.map { "\($0.id).json" }.sorted()
        if names != wanted { found.append("files: \(names) and not \(wanted)") }
        for item in items where names.contains("\(item.id).json") {
            let content = try content("tasks/\(item.id).json")
            if content != item.file { found.append("\(item.id): \(content) not \(item.file)") }
        }
        return found
    }

    /// All visible properties of the folder: names, kinds, times, content.
    func picture() throws -> [String] { try Self.picture(path) }

    private static func picture(_ folder: String) throws -> [String] {
        var lines: [String] = []
        for name in ["."] + (try Files.list(folder)) {
            guard let status = try Files.status("\(folder)/\(name)", followLinks: false) else {
                continue
            }
            var line = "\(folder)/\(name) \(status)"
            if status.kind == .file {
                line += " \(try Files.read("\(folder)/\(name)", limitBytes: 1 << 26).hashValue)"
            }
            lines.append(line)
            if status.kind == .folder, name != "." { lines += try picture("\(folder)/\(name)") }
        }
        return lines
    }
}
