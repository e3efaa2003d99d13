import Glibc

/// An inotify event of a watched file or folder.
package struct WatchEvent: Equatable, Sendable {
    /// The kinds of an event; several may be combined.
    package struct Kinds: OptionSet, Hashable, Sendable {
        /// The bits of inotify.
        package let rawValue: UInt32

        /// Makes a set of inotify's bits.
        package init(rawValue: UInt32) {
            self.rawValue = rawValue
        }

        package func contains(oneOf others: Kinds) -> Bool { !isDisjoint(with: others) }

        /// A write to the file.
        package static let modified = Kinds(rawValue: 0x2)
        /// Mode, owner, times or the number of names changed.
        package static let attributes = Kinds(rawValue: 0x4)
        /// A close of a file opened for writing.
        package static let closedAfterWrite = Kinds(rawValue: 0x8)
        /// A name moved out of the folder.
        package static let movedOut = Kinds(rawValue: 0x40)
        /// A name moved into the folder, or a rename replaced a file.
        package static let movedIn = Kinds(rawValue: 0x80)
        /// A new name in the folder.
        package static let created = Kinds(rawValue: 0x100)
        /// A removed name in the folder.
        package static let deleted = Kinds(rawValue: 0x200)
        /// The watched file or folder was removed, moved or unmounted, or a one-time notice came:
        /// watch again.
        package static let gone = Kinds(rawValue: 0x400 | 0x800 | 0x2000 | 0x8000)
        /// The kernel watches it no longer.
        static let ended = Kinds(rawValue: 0x8000)
        /// Too many notices came to keep: anything may have changed.
        package static let overflow = Kinds(rawValue: 0x4000)

        /// The watched file or folder was removed or moved.
        package static let ownEnd = Kinds(rawValue: 0x400 | 0x800)
        /// All that can happen to a folder, the names in it, or a file.
        package static let all: Kinds = [
            .modified, .attributes, .closedAfterWrite, .movedOut, .movedIn, .created, .deleted,
            ownEnd,
        ]
        /// Reports one event, and no other until the path is added again. The process must not
        /// watch the same file with other options.
        package static let once = Kinds(rawValue: 0x8000_0000)
    }

    /// The name in the watched folder; nil when it is about the watched thing itself.
    package let name: String?
    package let kinds: Kinds
    /// The watched path, as given; `nil` for all watched paths.
    package let path: String?

    /// Makes a notice.
    package init(_ path: String?, name: String?, kinds: Kinds) {
        self.path = path
        self.name = name
        self.kinds = kinds
    }
}
