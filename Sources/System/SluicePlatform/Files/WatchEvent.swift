import Glibc

/// One notice of a watch.
package struct WatchEvent: Equatable, Sendable {
    /// What happened; several may come as one.
    package struct Kinds: OptionSet, Hashable, Sendable {
        /// The bits of inotify.
        package let rawValue: UInt32

        /// Makes a set of inotify's bits.
        package init(rawValue: UInt32) {
            self.rawValue = rawValue
        }

        /// Whether any of them is among these.
        package func contains(oneOf others: Kinds) -> Bool { !isDisjoint(with: others) }

        /// Content was written.
        package static let modified = Kinds(rawValue: 0x2)
        /// Mode, owner, times or the number of names changed.
        package static let attributes = Kinds(rawValue: 0x4)
        /// A file that was open for writing was closed.
        package static let closedAfterWrite = Kinds(rawValue: 0x8)
        /// A name was moved out of the folder.
        package static let movedOut = Kinds(rawValue: 0x40)
        /// A name was moved into the folder, or a file was replaced by a rename.
        package static let movedIn = Kinds(rawValue: 0x80)
        /// A name was made in the folder.
        package static let created = Kinds(rawValue: 0x100)
        /// A name was removed from the folder.
        package static let deleted = Kinds(rawValue: 0x200)
        /// The watched thing itself was removed, moved or unmounted, or the notice that was asked
        /// for came: watch anew.
        package static let gone = Kinds(rawValue: 0x400 | 0x800 | 0x2000 | 0x8000)
        /// The kernel watches it no longer.
        static let ended = Kinds(rawValue: 0x8000)
        /// Too many notices came to keep: anything may have changed.
        package static let overflow = Kinds(rawValue: 0x4000)

        /// The watched thing itself was removed or moved.
        package static let ownEnd = Kinds(rawValue: 0x400 | 0x800)
        /// All that can happen to a folder, the names in it, or a file.
        package static let all: Kinds = [
            .modified, .attributes, .closedAfterWrite, .movedOut, .movedIn, .created, .deleted,
            ownEnd,
        ]
        /// To be told of one thing and of no other until the path is added again; nobody else of
        /// the process may watch the same file in another way.
        package static let once = Kinds(rawValue: 0x8000_0000)
    }

    /// The name in the watched folder; nil when it is about the watched thing itself.
    package let name: String?
    /// What happened.
    package let kinds: Kinds
    /// What is watched, as it was given; nil for all of it.
    package let path: String?

    /// Makes a notice.
    package init(_ path: String?, name: String?, kinds: Kinds) {
        self.path = path
        self.name = name
        self.kinds = kinds
    }
}
