import SluiceModel

/// The SDK whose files a folder has: both hold the same in other keys and another order.
enum FolderDialect: Hashable, Sendable {
    /// The SDK for iOS: keys with underscores, sorted; a payload in base64.
    case ios
    /// The SDK for Android: camelCase keys in the order of its classes; a payload as a text.
    case android

    /// The keys of an element of `inventory.json`.
    struct EntryKeys {
        let id, type, createdAt, groupStart, groupMembers: String
    }

    struct FileKeys {
        let id, type, data, results, runs: String
    }

    /// The keys of an element of `inventory.json`.
    var entry: EntryKeys {
        switch self {
        case .ios:
            EntryKeys(
                id: "task_persisted_id", type: "task_type", createdAt: "created_at",
                groupStart: "group_start", groupMembers: "group_member")
        case .android:
            EntryKeys(
                id: "taskPersistedId", type: "taskType", createdAt: "createdAt",
                groupStart: "groupStart", groupMembers: "groupMember")
        }
    }

    /// A required key of an element in the spelling of the other SDK; `nil` without one. Both SDKs
    /// ignore other unknown keys.
    func foreignKey(in object: JSONObject) -> String? {
        let other = (self == .ios ? FolderDialect.android : .ios).entry
        return [other.id, other.type, other.createdAt].first { object[$0] != nil }
    }

    var file: FileKeys {
        switch self {
        case .ios:
            FileKeys(
                id: "storage_id", type: "type", data: "data", results: "run_results",
                runs: "total_runs")
        case .android:
            FileKeys(
                id: "storageId", type: "type", data: "data", results: "runResults",
                runs: "totalRuns")
        }
    }

    /// The dialect of an element of `inventory.json`; iOS if it has the key of neither.
    init(ofEntry object: JSONObject) {
        let isAndroid = object["taskPersistedId"] != nil && object["task_persisted_id"] == nil
        self = isAndroid ? .android : .ios
    }

    /// The dialect of a task's file; iOS if it has the key of neither.
    init(ofFile object: JSONObject) {
        self = object["storageId"] != nil && object["storage_id"] == nil ? .android : .ios
    }

    /// The dialect of a folder without a task, by the place where an SDK makes it.
    init(ofEmptyFolder path: String) {
        self = path.contains("/files/io.customer/") ? .android : .ios
    }

    /// The system whose SDK it is.
    var name: String { self == .ios ? "iOS" : "Android" }

    /// An id as this SDK spells a UUID.
    func id(_ id: String) -> String { self == .android ? id.lowercased() : id }

    /// The text of a payload; nil for one that its files cannot hold.
    func data(_ payload: [UInt8]) -> String? {
        switch self {
        case .ios: Base64.encode(payload)
        case .android: String(validating: payload, as: UTF8.self)
        }
    }

    /// The payload of a text; nil for a text without one.
    func payload(_ data: String) -> [UInt8]? {
        switch self {
        case .ios: Base64.decode(data)
        case .android: Array(data.utf8)
        }
    }
}
