import SluiceSystem

/// A folder of a test, removed with all in it when the test is over.
final class TemporaryFolder {
    let path: String

    init() throws {
        path = try Files.makeTemporaryDirectory(prefix: "platform-test-")
    }

    deinit {
        try? Files.removeTree(path)
    }

    func file(_ name: String) -> String { "\(path)/\(name)" }
}

/// Waits on real descriptors of real processes, never by sleeping.
enum Wait {
    static let limitMilliseconds = 10_000

    static func exit(of child: ChildProcess) throws -> ChildProcess.Exit? {
        _ = try Poll.wait(
            fds: [PollInterest(child.pidfd.number)], timeoutMilliseconds: limitMilliseconds)
        return try child.reap()
    }

    static func line(from descriptor: FileDescriptor?) throws -> String {
        guard let descriptor else { return "" }
        var reader = LineReader(descriptor.number, limitBytes: 4096)
        return String(decoding: try reader.next() ?? [], as: UTF8.self)
    }
}
