/// A point in a store's history that a restore can return to (G5).
///
/// A checkpoint is not a copy: each later change first saves an image of the value it replaces.
package struct Checkpoint: Hashable, Sendable {
    /// Its number, increasing and never reused. It is the key of its images.
    package var number: Int64
    package var name: String
    /// When a person set it, in real time.
    package var at: Timestamp
    package var by: String
    /// The number of its journal line; later lines happened since.
    package var sequence: Int64
    /// The highest number that a task had: those above it came since.
    package var lastTask: TaskID
    package var storePauses: [Pause]
    /// The network as a person had forced it.
    package var forcedNetwork: Bool?
    /// The schedules; nil where an older version took it, which kept none.
    package var schedules: Schedules?

    package init(
        number: Int64, name: String, at: Timestamp, by: String, sequence: Int64, lastTask: TaskID,
        storePauses: [Pause] = [], forcedNetwork: Bool? = nil, schedules: Schedules? = nil
    ) {
        (self.number, self.name, self.at, self.by) = (number, name, at, by)
        (self.sequence, self.lastTask) = (sequence, lastTask)
        (self.storePauses, self.forcedNetwork) = (storePauses, forcedNetwork)
        self.schedules = schedules
    }

    package static let longestName = 64

    /// Throws `badName` for what cannot be the name of one.
    package static func check(name: String) throws(QueueError) {
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
package struct Checkpoints: Hashable, Sendable {
    /// The default limit on bytes of images.
    package static let usualBytes: Int64 = 256 << 20

    /// The highest number that was ever given.
    package var last: Int64 = 0
    package var all: [Checkpoint] = []
    /// How many bytes their images have.
    package var bytes: Int64 = 0
    /// How many they may have; beyond them the oldest checkpoint ends.
    package var byteLimit = usualBytes

    package init() {}

    /// Whether there are no checkpoints, so changes need no images.
    package var isEmpty: Bool { all.isEmpty }

    /// The one of a name, or nil.
    package subscript(name: String) -> Checkpoint? { all.first { $0.name == name } }

    /// The one of a name; throws `badValue` with the names that there are.
    package func named(_ name: String) throws(QueueError) -> Checkpoint {
        if let found = self[name] { return found }
        let names = all.map(\.name)
        let known =
            names.isEmpty
            ? "none exists: sluice checkpoint takes one"
            : "there is \(WordList.and(names.map { "\"\($0)\"" }))"
        throw QueueError(.badValue, "there is no checkpoint \"\(name)\"", fix: known)
    }

    /// Why one that has ended with a line of the journal cannot come back; nil if it can. An
    /// older one keeps its images, and for a newer one what changed since was kept.
    package func loss(of ended: Checkpoint, endedAt sequence: Int64) -> String? {
        let words = "checkpoint \(ended.name) cannot come back"
        guard all.contains(where: { $0.number < ended.number }) else {
            return "\(words): its images were deleted too: no older one exists"
        }
        guard all.contains(where: { $0.number > ended.number && $0.sequence < sequence }) else {
            return "\(words): no newer one has stood all the while, so that what changed since "
                + "was not kept"
        }
        return nil
    }

    /// A name that none has yet.
    package var freeName: String {
        var number = last + 1
        while self["checkpoint-\(number)"] != nil { number += 1 }
        return "checkpoint-\(number)"
    }
}
