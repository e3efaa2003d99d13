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

    let dialect: FolderDialect

    /// The entry of a task that the SDK has not seen yet.
    init(id: String, task: QueueTask, _ dialect: FolderDialect) {
        (self.id, self.dialect) = (id, dialect)
        rest = JSONObject()
        (type, createdAt) = (task.type, task.createdAt)
        (groupStart, groupMembers) = (task.groupStart, task.groupMembers)
    }

    /// Reads an element as strictly as the SDK does.
    init(_ value: JSONValue) throws(FormatError) {
        guard var rest = value.object else {
            throw FormatError("it is \(value.kindName), no object")
        }
        dialect = FolderDialect(ofEntry: rest)
        let keys = dialect.entry
        if let foreign = dialect.foreignKey(in: rest) {
            throw FormatError("it mixes keys of two SDKs: \"\(foreign)\" and \"\(keys.id)\"")
        }
        id = try Self.text(keys.id, of: &rest)
        type = try Self.text(keys.type, of: &rest)
        createdAt = try Self.moment(keys.createdAt, of: &rest)
        groupStart = nil
        if let start = rest[keys.groupStart] {
            if !start.isNull { groupStart = try Self.text(keys.groupStart, of: &rest) }
            rest[keys.groupStart] = nil
        }
        groupMembers = try Self.members(keys.groupMembers, of: &rest)
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

    private static func moment(
        _ key: String, of object: inout JSONObject
    ) throws(FormatError) -> Timestamp {
        guard let seconds = object[key]?.double, abs(seconds) < 1e12 else {
            throw FormatError("its \"\(key)\" is no time in seconds")
        }
        object[key] = nil
        return Timestamp(milliseconds: Int64((seconds * 1000).rounded()))
    }

    private static func members(
        _ key: String, of object: inout JSONObject
    ) throws(FormatError) -> [String] {
        guard let value = object[key] else { return [] }
        if value.isNull {
            object[key] = nil
            return []
        }
        let texts = value.array?.map(\.string)
        guard let texts, !texts.contains(nil) else {
            throw FormatError("its \"\(key)\" is no array of texts")
        }
        // An empty array stays among the rest: for a task it is the same as none.
        if !texts.isEmpty { object[key] = nil }
        return texts.compactMap { $0 }
    }

    /// The entry as the SDK writes it.
    var text: String {
        let keys = dialect.entry
        var object = JSONObject()
        object[keys.id] = .string(id)
        object[keys.type] = .string(type)
        if let groupStart { object[keys.groupStart] = .string(groupStart) }
        object[keys.groupMembers] =
            groupMembers.isEmpty ? rest[keys.groupMembers] : JSONValue(groupMembers)
        object[keys.createdAt] = .integer(createdAt.milliseconds / 1000)
        for pair in rest.pairs where object[pair.key] == nil { object[pair.key] = pair.value }
        return SDKText.text(.object(object), dialect)
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
