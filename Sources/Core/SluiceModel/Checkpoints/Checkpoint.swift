/// A place in the history of a store to which it can be put back (G5).
///
/// A checkpoint holds no copy: from then on each change keeps the first image of what it changes.
public struct Checkpoint: Hashable, Sendable {
    /// Its number; growing, never given twice. Images are kept under it.
    public var number: Int64
    /// What people call it.
    public var name: String
    /// When it was taken, in real time.
    public var at: Timestamp
    /// Who took it.
    public var by: String
    /// The number of its line in the journal: what came behind it happened since.
    public var sequence: Int64
    /// The highest number that a task had: those above it came since.
    public var lastTask: TaskID
    /// The pauses of the whole store.
    public var storePauses: [Pause]
    /// The network as a person had forced it.
    public var forcedNetwork: Bool?

    /// A checkpoint with all its parts.
    public init(
        number: Int64, name: String, at: Timestamp, by: String, sequence: Int64, lastTask: TaskID,
        storePauses: [Pause] = [], forcedNetwork: Bool? = nil
    ) {
        (self.number, self.name, self.at, self.by) = (number, name, at, by)
        (self.sequence, self.lastTask) = (sequence, lastTask)
        (self.storePauses, self.forcedNetwork) = (storePauses, forcedNetwork)
    }

    /// The longest name.
    public static let longestName = 64

    /// Throws `badName` for what cannot be the name of one.
    public static func check(name: String) throws(QueueError) {
        let isKnown = name.allSatisfy { $0.isLetter || $0.isNumber || "-_.".contains($0) }
        guard !name.isEmpty, name.utf8.count <= longestName, isKnown, name.first != "-",
            !["list", "remove", "now"].contains(name)
        else {
            throw QueueError(
                .badName, "\"\(name)\" cannot be the name of a checkpoint",
                fix: "allowed: up to \(longestName) letters, digits, - _ and ., such as "
                    + "before-release; not list, remove or now")
        }
    }
}

/// The checkpoints of a store, the oldest first.
public struct Checkpoints: Hashable, Sendable {
    /// How many bytes of images are kept where nobody said otherwise.
    public static let usualBytes: Int64 = 256 << 20

    /// The highest number that was ever given.
    public var last: Int64 = 0
    /// Those that stand.
    public var all: [Checkpoint] = []
    /// How many bytes their images have.
    public var bytes: Int64 = 0
    /// How many they may have; beyond them the oldest checkpoint ends.
    public var byteLimit = usualBytes

    /// None.
    public init() {}

    /// Whether none stands, so that nothing is kept.
    public var isEmpty: Bool { all.isEmpty }

    /// The one of a name, or nil.
    public subscript(name: String) -> Checkpoint? { all.first { $0.name == name } }

    /// The one of a name; throws `badValue` with the names that there are.
    public func named(_ name: String) throws(QueueError) -> Checkpoint {
        if let found = self[name] { return found }
        let names = all.map(\.name)
        let known =
            names.isEmpty
            ? "there is none: sluice checkpoint takes one"
            : "there is \(WordList.and(names.map { "\"\($0)\"" }))"
        throw QueueError(.badValue, "there is no checkpoint \"\(name)\"", fix: known)
    }

    /// A name that none has yet.
    public var freeName: String {
        var number = last + 1
        while self["checkpoint-\(number)"] != nil { number += 1 }
        return "checkpoint-\(number)"
    }
}
