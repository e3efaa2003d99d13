package import SluiceModel
import SluiceSQL
import SluiceStore

/// The header: the first line of a tape.
package struct TapeHeader: Hashable, Sendable {
    /// The format that this program writes; it reads all up to it.
    package static let version: Int64 = 1
    /// The store's name, without secrets of an address.
    package var store: String
    /// The store's identity, which does not depend on its location.
    package var identity: String
    /// When the recording began.
    package var since: Timestamp
    package var by: String
    /// The recorded queues; `nil` for all.
    package var queues: [String]?
    /// The payload paths with omitted values.
    package var redacted: [String] = []
    /// Whether its lines end with checksums; earlier versions had none.
    private(set) var hasSums = true

    package init(store: String, identity: String, since: Timestamp, by: String) {
        (self.store, self.identity, self.since, self.by) = (store, identity, since, by)
    }

    /// With these bytes every tape begins.
    static let mark = Array("{\"tape\":".utf8)

    var line: JSONValue {
        var object = JSONObject()
        object["tape"] = .integer(Self.version)
        object["store"] = .string(store)
        object["identity"] = .string(identity)
        object["since"] = .integer(since.milliseconds)
        object["by"] = .string(by)
        if let queues { object["queues"] = JSONValue(queues) }
        if !redacted.isEmpty { object["redacted"] = JSONValue(redacted) }
        return .object(object)
    }

    /// Reads the first line; throws `newerSchema` for a format of a newer program, and
    /// `damagedStore` where something is missing.
    init(_ bytes: [UInt8], of path: String) throws(QueueError) {
        guard let value = try? JSONValue.parse(bytes), let version = value["tape"]?.integer else {
            throw TapeFile.edited(path, "its first line cannot be read")
        }
        guard version <= Self.version else {
            throw QueueError(
                .newerSchema,
                "\(path) is a tape of the format \(version), this program reads \(Self.version)",
                fix: "open it with the version of sluice that recorded it, or a newer one")
        }
        guard let store = value["store"]?.string, let identity = value["identity"]?.string,
            let since = value["since"]?.integer, let by = value["by"]?.string
        else { throw TapeFile.edited(path, "its first line lacks something") }
        self.init(
            store: store, identity: identity, since: Timestamp(milliseconds: since), by: by)
        queues = value["queues"]?.array?.compactMap(\.string)
        redacted = value["redacted"]?.array?.compactMap(\.string) ?? []
        hasSums = value["sum"] != nil
        guard !hasSums || TapeSum.fits(bytes) else {
            throw TapeFile.edited(path, TapeSum.misfit(line: 1))
        }
    }
}

/// The last line of a tape: why it ends.
package struct TapeEnding: Hashable, Sendable {
    /// The reason for an end by a person or by the given duration.
    static let stopped = "it was stopped"
    /// Why, in a sentence.
    package var reason: String
    package var at: Timestamp

    package init(reason: String, at: Timestamp) { (self.reason, self.at) = (reason, at) }

    static let mark = Array("{\"end\":".utf8)

    var line: JSONValue {
        ["end": .string(reason), "at": .integer(at.milliseconds)]
    }

    init?(_ bytes: [UInt8]) {
        guard let value = try? JSONValue.parse(bytes), let reason = value["end"]?.string,
            let at = value["at"]?.integer
        else { return nil }
        self.init(reason: reason, at: Timestamp(milliseconds: at))
    }
}

/// The lines between the first and the last.
enum TapeLine {
    static let beginMark = Array("{\"begin\":".utf8)
    static let eventMark = Array("{\"event\":".utf8)

    /// A part of the initial contents.
    static func begin(_ changes: [TapeChange]) -> JSONValue {
        ["begin": .array(changes.map(\.stored))]
    }

    /// A commit by its number; its moment comes first, so that it is found without the rest.
    static func event(_ number: Int, _ commit: TapeCommit, at moment: Timestamp) -> JSONValue {
        var object = JSONObject()
        object["event"] = .integer(Int64(number))
        object["at"] = .integer(moment.milliseconds)
        for pair in commit.stored.object?.pairs ?? [] where pair.key != "at" {
            object[pair.key] = pair.value
        }
        return .object(object)
    }
}
