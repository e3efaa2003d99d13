import SluiceModel
import SluiceSQL
import SluiceStore
import SluiceSystem

/// Special files for tests.
enum Special {
    private struct Failed: Error {}

    static func link(_ target: String, at path: String) throws {
        try run(["ln", "-s", target, path])
    }

    /// A device that gives zeros without end, where this user may make one.
    static func device(_ path: String) throws {
        // The test reports a missing permission.
        try? run(["mknod", path, "c", "1", "5"])
    }

    /// A named pipe without a writer.
    static func pipe(_ path: String) throws { try run(["mkfifo", path]) }

    /// A file with nothing in it but its size.
    static func sparse(_ path: String, bytes: Int) throws {
        try run(["truncate", "-s", "\(bytes)", path])
    }

    /// Opens a file as a program does that writes in place: it is empty from now on.
    static func openForWriting(_ path: String) throws -> FileDescriptor {
        // O_WRONLY, O_CREAT and O_TRUNC.
        try FileDescriptor(opening: path, flags: 0o1 | 0o100 | 0o1000, mode: 0o644)
    }

    static func setMode(_ path: String, _ mode: UInt32) throws {
        try run(["chmod", String(mode, radix: 8), path])
    }

    /// Changes the SQLite store of a folder without its owner's knowledge.
    static func changeDatabase(
        _ path: String, _ body: @escaping @Sendable (any StoreWriter) throws -> Void
    ) throws {
        let store = try SQLiteStore.open(path: path)
        defer { store.close() }
        try store.writeBlocking(body)
    }

    private static func run(_ words: [String]) throws {
        let child = try ChildProcess.spawn(
            Spawn(
                words[0], Array(words.dropFirst()), environment: ProcessIdentity.environment(),
                output: .null, errors: .null))
        _ = try Poll.wait(
            fds: [PollInterest(child.pidfd.number)], timeoutMilliseconds: 10_000)
        guard try child.reap() == .code(0) else { throw Failed() }
    }
}
