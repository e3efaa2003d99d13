import SluiceModel

/// One file of the folder `tasks` (CIO 1a).
struct TaskFile: Hashable, Sendable {
    /// `storage_id`: the task's id.
    var id: String
    /// `type`.
    var type: String
    /// `data`, decoded.
    var payload: [UInt8]
    /// `run_results.total_runs`.
    var runs: Int
    /// The other keys, which are preserved. Additional keys of `run_results` are under that key.
    var rest: JSONObject

    private enum Key {
        static let id = "storage_id"
        static let type = "type"
        static let data = "data"
        static let results = "run_results"
        static let runs = "total_runs"
    }

    /// A file with all its parts.
    init(id: String, type: String, payload: [UInt8], runs: Int, rest: JSONObject) {
        (self.id, self.type, self.payload) = (id, type, payload)
        (self.runs, self.rest) = (runs, rest)
    }

    /// Reads the file of the task that `entry` names.
    init(_ bytes: [UInt8], of entry: InventoryEntry) throws(FormatError) {
        try self.init(bytes, id: entry.id)
        guard type == entry.type else {
            throw FormatError("its file has another \"\(Key.type)\" than its entry")
        }
    }

    /// Decodes the file of the task with this id, for any type.
    init(_ bytes: [UInt8], id: String) throws(FormatError) {
        let value: JSONValue
        do {
            value = try JSONValue.parse(bytes)
        } catch {
            throw FormatError("its file is not JSON: \(error.description)")
        }
        guard var rest = value.object else {
            throw FormatError("its file holds \(value.kindName), no object")
        }
        guard rest[Key.id]?.string == id else {
            throw FormatError("its file has another \"\(Key.id)\"")
        }
        guard let type = rest[Key.type]?.string, !type.isEmpty else {
            throw FormatError("its file has no \"\(Key.type)\"")
        }
        guard let data = rest[Key.data]?.string, let payload = Base64.decode(data) else {
            throw FormatError("the \"\(Key.data)\" of its file is not base64")
        }
        guard var results = rest[Key.results]?.object,
            let runs = results[Key.runs]?.integer.flatMap(Int.init(exactly:)), runs >= 0
        else { throw FormatError("its file has no \"\(Key.runs)\"") }
        (self.id, self.type, self.payload, self.runs) = (id, type, payload, runs)
        for key in [Key.id, Key.type, Key.data] { rest[key] = nil }
        results[Key.runs] = nil
        rest[Key.results] = results.isEmpty ? nil : .object(results)
        self.rest = rest
    }

    /// The file as the SDK writes it.
    var bytes: [UInt8] {
        var object = rest
        var results = rest[Key.results]?.object ?? JSONObject()
        results[Key.runs] = JSONValue(runs)
        object[Key.id] = .string(id)
        object[Key.type] = .string(type)
        object[Key.data] = .string(Base64.encode(payload))
        object[Key.results] = .object(results)
        return SDKText.bytes(.object(object))
    }
}
