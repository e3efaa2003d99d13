import SluiceModel

/// What is known of a download that is not complete: kept beside its temporary file, so that
/// another attempt, in another process, can go on.
struct PartState: Hashable, Sendable {
    /// What was asked for.
    var url: String
    /// What the server knows the content by; nil where it cannot be gone on with.
    var validator: String?
    /// How many bytes there will be; nil where the server does not say.
    var totalBytes: Int64?
    /// How many of them are on the disk for certain.
    var syncedBytes: Int64 = 0
    /// The run of the machine in which the rest was written: a crash of it may have lost that.
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
