import SluiceModel

/// The state of an incomplete download, stored next to its temporary file, so that an attempt in
/// another process can resume it.
struct PartState: Hashable, Sendable {
    /// The requested address.
    var url: String
    /// The server's validator of the content; `nil` if the download cannot be resumed.
    var validator: String?
    /// How many bytes there will be; nil where the server does not say.
    var totalBytes: Int64?
    /// How many of them are on the disk for certain.
    var syncedBytes: Int64 = 0
    /// The boot id of the last write: a machine crash may have lost unsynced bytes.
    var bootID: String

    init(url: String, validator: String?, totalBytes: Int64?, bootID: String) {
        self.url = url
        self.validator = validator
        self.totalBytes = totalBytes
        self.bootID = bootID
    }

    /// Nil for anything that was not written here.
    init?(_ bytes: [UInt8]) {
        guard let value = try? JSONValue.parse(bytes), let url = value["url"]?.string,
            let boot = value["boot"]?.string, let synced = value["synced"]?.integer
        else { return nil }
        self.init(
            url: url, validator: value["validator"]?.string,
            totalBytes: value["total"]?.integer, bootID: boot)
        syncedBytes = max(0, synced)
    }

    var json: [UInt8] {
        let object: JSONValue = [
            "url": .string(url), "validator": JSONValue(validator),
            "total": JSONValue(totalBytes), "synced": .integer(syncedBytes),
            "boot": .string(bootID),
        ]
        return Array(object.text(indent: nil).utf8)
    }
}
