import SluiceModel

/// Why bytes are not what the SDK writes at their place.
struct FormatError: Error, Hashable {
    /// The problem, as the end of a sentence: `it has no "task_type"`.
    var message: String
    /// Whether a retry may succeed, because another program was writing.
    var isPassing: Bool

    init(_ message: String, isPassing: Bool = false) {
        (self.message, self.isPassing) = (message, isPassing)
    }
}

/// One element of `inventory.json` (CIO 1a).
struct InventoryEntry: Hashable, Sendable {
    /// `task_persisted_id`, unchanged.
    var id: String
    /// `task_type`.
    var type: String
    /// `created_at`. Reads a fraction of a second, but does not write it.
    var createdAt: Timestamp
    /// `group_start`.
    var groupStart: String?
    /// `group_member`.
    var groupMembers: [String]
    /// The other keys, which are preserved.
    var rest: JSONObject

    private enum Key {
        static let id = "task_persisted_id"
        static let type = "task_type"
        static let createdAt = "created_at"
        static let groupStart = "group_start"
        static let groupMembers = "group_member"
    }

    /// The entry of a task that the SDK has not seen yet.
    init(id: String, task: QueueTask) {
        self.id = id
        rest = JSONObject()
        (type, createdAt) = (task.type, task.createdAt)
        (groupStart, groupMembers) = (task.groupStart, task.groupMembers)
    }

    /// Reads an element as strictly as the SDK does.
    init(_ value: JSONValue) throws(FormatError) {
        guard var rest = value.object else {
            throw FormatError("it is \(value.kindName), no object")
        }
        id = try Self.text(Key.id, of: &rest)
        type = try Self.text(Key.type, of: &rest)
        createdAt = try Self.moment(&rest)
        groupStart = nil
        if let start = rest[Key.groupStart] {
            if !start.isNull { groupStart = try Self.text(Key.groupStart, of: &rest) }
            rest[Key.groupStart] = nil
        }
        groupMembers = try Self.members(&rest)
        self.rest = rest
    }

    private static func text(
        _ key: String, of object: inout JSONObject
    ) throws(FormatError) -> String {
        guard let value = object[key] else { throw FormatError("it has no \"\(key)\"") }
        guard let text = value.string, !text.isEmpty else {
            throw FormatError("its \"\(key)\" is no text")
        }
        object[key] = nil
        return text
    }

    private static func moment(_ object: inout JSONObject) throws(FormatError) -> Timestamp {
        guard let seconds = object[Key.createdAt]?.double, abs(seconds) < 1e12 else {
            throw FormatError("its \"\(Key.createdAt)\" is no time in seconds")
        }
        object[Key.createdAt] = nil
        return Timestamp(milliseconds: Int64((seconds * 1000).rounded()))
    }

    private static func members(_ object: inout JSONObject) throws(FormatError) -> [String] {
        guard let value = object[Key.groupMembers] else { return [] }
        if value.isNull {
            object[Key.groupMembers] = nil
            return []
        }
        let texts = value.array?.map(\.string)
        guard let texts, !texts.contains(nil) else {
            throw FormatError("its \"\(Key.groupMembers)\" is no array of texts")
        }
        // An empty array stays among the rest: for a task it is the same as none.
        if !texts.isEmpty { object[Key.groupMembers] = nil }
        return texts.compactMap { $0 }
    }

    /// The entry as the SDK writes it.
    var text: String {
        var object = rest
        object[Key.id] = .string(id)
        object[Key.type] = .string(type)
        object[Key.createdAt] = .integer(createdAt.milliseconds / 1000)
        if let groupStart { object[Key.groupStart] = .string(groupStart) }
        if !groupMembers.isEmpty { object[Key.groupMembers] = JSONValue(groupMembers) }
        return SDKText.text(.object(object))
    }

    /// The entry with the task's current values. A name with the same text keeps the SDK's Unicode
    /// normalization (T6).
    func following(_ task: QueueTask) -> InventoryEntry {
        var entry = self
        entry.createdAt = task.createdAt
        if entry.type != task.type { entry.type = task.type }
        if entry.groupStart != task.groupStart { entry.groupStart = task.groupStart }
        if entry.groupMembers != task.groupMembers { entry.groupMembers = task.groupMembers }
        return entry
    }
}
