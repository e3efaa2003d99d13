import Glibc
import SluiceCSystem

/// A folder beside a name in which something is made that gets the name when it is whole; for its
/// owner alone.
///
/// Its lock says that somebody still works in it. What a process that died has left beside a name
/// is removed by the next one that makes something for that name.
package final class UnfinishedFolder: Sendable {
    /// The folder.
    package let path: String
    private let target: String
    private let descriptor: FileDescriptor

    private static let ending = ".unfinished"

    /// Makes the folder for what will stand at `target`.
    package init(for target: String) throws(SystemError) {
        self.target = target
        Self.sweep(beside: target)
        while true {
            var random = SystemRandom()
            let path = "\(target).\(String(random.next(), radix: 36))\(Self.ending)"
            guard mkdir(path, 0o700) == 0 else { throw .last(.makeDirectory, path: path) }
            // Whoever sweeps in this moment takes it for left behind: then another is made.
            guard let descriptor = try Self.locked(path) else { continue }
            (self.path, self.descriptor) = (path, descriptor)
            return
        }
    }

    /// The folder, open and locked; nil where it is gone or somebody holds it.
    private static func locked(_ path: String) throws(SystemError) -> FileDescriptor? {
        let descriptor: FileDescriptor
        do {
            descriptor = try FileDescriptor(
                opening: path, flags: O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
        } catch {
            if error.isMissing { return nil }
            throw error
        }
        guard csys_flock(descriptor.number, .exclusive) == 1 else { return nil }
        let named = try Files.status(path, followLinks: false)
        return try descriptor.status().identity == named?.identity ? descriptor : nil
    }

    /// Removes what is left for a name and nobody holds. What cannot be removed stays, and harms
    /// nobody.
    private static func sweep(beside target: String) {
        let folder = Files.parent(of: target)
        let start = Files.lastName(of: target) + "."
        for name in (try? Files.list(folder)) ?? [] {
            guard name.hasPrefix(start), name.hasSuffix(ending) else { continue }
            let middle = name.dropFirst(start.count).dropLast(ending.count)
            let path = "\(folder)/\(name)"
            guard !middle.isEmpty,
                middle.allSatisfy({ $0.isASCII && ($0.isNumber || $0.isLetter) }),
                let held = try? locked(path)
            else { continue }
            try? Files.removeTree(path)
            held.close()
        }
    }

    /// Gives a part of the folder the name and removes the rest; false where something has the name
    /// by now, and then nothing is changed.
    package func finish(_ part: String) throws(SystemError) -> Bool {
        guard try Files.renameIfNew("\(path)/\(part)", to: target) else { return false }
        remove()
        try Files.syncFolder(Files.parent(of: target))
        return true
    }

    /// Removes the folder with all in it. What cannot be removed now the next one removes.
    package func remove() {
        try? Files.removeTree(path)
        descriptor.close()
    }
}
