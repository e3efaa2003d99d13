import Glibc
import SluiceC

/// A folder next to a path for an unfinished result, renamed to the path when complete; for its
/// owner only.
///
/// Its lock shows that a process still works in it. The next user of the same path removes
/// leftovers of dead processes.
package final class UnfinishedFolder: Sendable {
    package let path: String
    private let target: String
    private let descriptor: FileDescriptor

    private static let ending = ".unfinished"

    /// Makes the folder for the result at `target`.
    package init(for target: String) throws(SystemError) {
        self.target = target
        Self.sweep(beside: target)
        while true {
            var random = SystemRandom()
            let path = "\(target).\(String(random.next(), radix: 36))\(Self.ending)"
            guard mkdir(path, 0o700) == 0 else { throw .last(.makeDirectory, path: path) }
            // A concurrent sweep may remove it as a leftover: then try another.
            guard let descriptor = try Self.locked(path) else { continue }
            (self.path, self.descriptor) = (path, descriptor)
            return
        }
    }

    /// The folder, open and locked; `nil` if missing or locked by another process.
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

    /// Removes unlocked leftovers for a path. Folders that cannot be removed stay, harmlessly.
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
