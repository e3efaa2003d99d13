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

    let dialect: FolderDialect

    init(
        id: String, type: String, payload: [UInt8], runs: Int, rest: JSONObject,
        _ dialect: FolderDialect
    ) {
        (self.id, self.type, self.payload) = (id, type, payload)
        (self.runs, self.rest, self.dialect) = (runs, rest, dialect)
    }

    /// Reads the file of the task that `entry` names.
    init(_ bytes: [UInt8], of entry: InventoryEntry) throws(FormatError) {
        try self.init(bytes, id: entry.id)
        guard dialect == entry.dialect else {
            throw FormatError(
                "its file is one of the SDK for \(dialect.name), and its entry is not")
        }
        guard type == entry.type else {
            throw FormatError("its file has another \"\(dialect.file.type)\" than its entry")
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
        let dialect = FolderDialect(ofFile: rest)
        let keys = dialect.file
        guard rest[keys.id]?.string == id else {
            throw FormatError("its file has another \"\(keys.id)\"")
        }
        guard let type = rest[keys.type]?.string, !type.isEmpty else {
            throw FormatError("its file has no \"\(keys.type)\"")
        }
        guard let data = rest[keys.data]?.string, let payload = dialect.payload(data) else {
            let kind = dialect == .ios ? "base64" : "a text"
            throw FormatError("the \"\(keys.data)\" of its file is not \(kind)")
        }
        guard var results = rest[keys.results]?.object,
            let runs = results[keys.runs]?.integer.flatMap(Int.init(exactly:)), runs >= 0
        else { throw FormatError("its file has no \"\(keys.runs)\"") }
        (self.id, self.type, self.payload, self.runs) = (id, type, payload, runs)
        for key in [keys.id, keys.type, keys.data] { rest[key] = nil }
        results[keys.runs] = nil
        rest[keys.results] = results.isEmpty ? nil : .object(results)
        (self.rest, self.dialect) = (rest, dialect)
    }

    /// The file as the SDK writes it; nil for a payload that it cannot hold.
    var bytes: [UInt8]? {
        guard let data = dialect.data(payload) else { return nil }
        let keys = dialect.file
        var results = JSONObject()
        results[keys.runs] = JSONValue(runs)
        for pair in rest[keys.results]?.object?.pairs ?? [] { results[pair.key] = pair.value }
        var object = JSONObject()
        object[keys.id] = .string(id)
        object[keys.type] = .string(type)
        object[keys.data] = .string(data)
        object[keys.results] = .object(results)
        for pair in rest.pairs where object[pair.key] == nil { object[pair.key] = pair.value }
        return SDKText.bytes(.object(object), dialect)
    }
}
