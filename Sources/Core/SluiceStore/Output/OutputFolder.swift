package import SluiceModel
package import SluiceSystem

/// The folder `output` in a run folder: the end of what each running child printed, in files that
/// its worker writes and readers of the same machine read.
///
/// An attempt has two files of at most 64 KiB each: the current part, and the former part, which
/// the current part replaces when it is full. Each byte is written once, and the two parts together
/// always hold the last 64 KiB. The folder is opened anew for each use and must be private, so that
/// no other user can put a link or a file of theirs in the place of a part.
package struct OutputFolder: Sendable {
    package static let partBytes = 1 << 16
    /// The ending of the former part's name.
    package static let formerSuffix = ".1"
    /// The name of the folder in the run folder.
    package static let name = "output"
    /// Between the name of a part that cannot be kept and the system's error number.
    private static let lossMark = ".lost."
    private static let lockSuffix = ".lock"
    private static let othersMayWrite: UInt32 = 0o022

    private let folder: OpenFolder
    private let runFolder: String

    private init(_ folder: OpenFolder, _ runFolder: String) {
        (self.folder, self.runFolder) = (folder, runFolder)
    }

    /// Opens the folder; `nil` if it is missing. Throws `notPrivate` for a link, and for a folder
    /// of another user.
    package init?(in runFolder: String) throws(SystemError) {
        guard let own = try Files.status(runFolder, followLinks: false) else { return nil }
        guard own.kind == .folder, own.mode & Self.othersMayWrite == 0 else {
            throw SystemError(.open, path: runFolder, reason: .notPrivate)
        }
        guard let folder = try OpenFolder(runFolder).privateFolder(Self.name) else { return nil }
        self.init(folder, runFolder)
    }

    /// Opens the folder, and makes it if it is missing.
    package static func made(in runFolder: String) throws(SystemError) -> OutputFolder {
        if let known = try OutputFolder(in: runFolder) { return known }
        try Files.makeDirectory("\(runFolder)/\(name)", ofOwnerOf: runFolder)
        if let new = try OutputFolder(in: runFolder) { return new }
        throw SystemError(.open, path: "\(runFolder)/\(name)", reason: .notPrivate)
    }

    /// The name of an attempt's current part.
    package static func part(process: ProcessID, task: TaskID, attempt: Int) -> String {
        part(ofLock: Reaper.childLockName(process: process, task: task, attempt: attempt))
    }

    /// The same, by the name of the attempt's lock file.
    package static func part(ofLock lock: String) -> String {
        lock.hasSuffix(lockSuffix) ? String(lock.dropLast(lockSuffix.count)) : lock
    }

    /// Makes the current part. Replaces the part of an attempt with the same name, which has ended.
    package func create(_ part: String) throws(SystemError) -> FileDescriptor {
        try folder.remove(part)
        let file = try folder.create(part)
        file.giveToOwner(of: runFolder)
        return file
    }

    /// Makes the current part the former one.
    package func setAside(_ part: String) throws(SystemError) {
        try folder.rename(part, to: part + Self.formerSuffix, replacing: true)
    }

    package func remove(_ part: String) throws(SystemError) {
        for name in [part, part + Self.formerSuffix] { try folder.remove(name) }
    }

    /// Notes that the output of a part is not kept. Returns the name of the note, an empty file:
    /// a full disk has room for a name, and none for content.
    package func noteLoss(of part: String, _ error: SystemError) throws(SystemError) -> String {
        let name = "\(part)\(Self.lossMark)\(error.errorNumber ?? 0)"
        _ = try create(name)
        return name
    }

    /// Why the output of a part is not kept; `nil` without such a note.
    package func loss(of part: String) throws(SystemError) -> SystemError? {
        let start = part + Self.lossMark
        guard let name = try names().first(where: { $0.hasPrefix(start) }),
            let number = Int32(name.dropFirst(start.count))
        else { return nil }
        return SystemError(.write, path: "\(runFolder)/\(Self.name)", reason: .code(number))
    }

    /// Opens a part for reading; `nil` if missing or no plain file.
    package func open(_ part: String) throws(SystemError) -> FileDescriptor? {
        do throws(SystemError) {
            return try folder.reading(part)
        } catch {
            // The worker may remove it between two looks.
            if error.isMissing { return nil }
            throw error
        }
    }

    package func names() throws(SystemError) -> [String] { try folder.names() }

    /// Removes parts by their names. A part that cannot be removed stays for the next search.
    package func remove(all names: [String]) {
        for name in names { try? folder.remove(name) }
    }

    /// The worker in the name of a part; `nil` for another name.
    package static func process(ofPart name: String) -> ProcessID? {
        let words = name.split(separator: "-", omittingEmptySubsequences: false)
        guard words.count == 4, words[0] == "child" else { return nil }
        return ProcessID(words[1])
    }
}

extension Reaper {
    /// The parts in the output folder. Ask for them before the attached processes: a worker
    /// attaches before it writes a part.
    static func outputParts(in runFolder: String?) -> (folder: OutputFolder, names: [String])? {
        // A folder that cannot be opened has no parts of this store's workers.
        guard let runFolder, let folder = (try? OutputFolder(in: runFolder)) ?? nil,
            let names = try? folder.names(), !names.isEmpty
        else { return nil }
        return (folder, names)
    }

    /// Removes parts of processes that are not attached any more, or are dead.
    static func removeParts(
        _ found: (folder: OutputFolder, names: [String])?, except attached: [ProcessRecord]
    ) {
        guard let found else { return }
        let known = Set(attached.map(\.id))
        found.folder.remove(
            all: found.names.filter { name in
                OutputFolder.process(ofPart: name).map { !known.contains($0) } ?? false
            })
    }
}
