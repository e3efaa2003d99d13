import SluiceSystem
import Testing

@Suite("What is read to its end")
struct ContentTests {
    @Test("K7 a named pipe, a device and a folder are refused at once; a link to a file is not")
    func kinds() throws {
        let folder = try Files.makeTemporaryDirectory(prefix: "content-test-")
        defer { try? Files.removeTree(folder) }
        let script = "mkfifo pipe; ln -s pipe p; ln -s file f; ln -s loop loop; printf ab > file"
        let shell = try ChildProcess.spawn(
            Spawn(
                "sh", ["-c", script], environment: ProcessIdentity.environment(),
                directory: folder, output: .null, errors: .null))
        _ = try Poll.wait(fds: [PollInterest(shell.pidfd.number)], timeoutMilliseconds: 10_000)
        #expect(try shell.reap() == .code(0))
        for name in ["file", "f"] {
            #expect(try Files.read("\(folder)/\(name)", limitBytes: 9) == Array("ab".utf8))
        }
        let refused: [(String, SystemError.Reason?)] = [
            ("\(folder)/pipe", .namedPipe), ("\(folder)/p", .namedPipe), ("/dev/zero", .device),
            ("/dev/null", .device), (folder, nil), ("\(folder)/loop", nil),
        ]
        for (path, reason) in refused {
            let error = #expect(throws: SystemError.self) { try Files.read(path, limitBytes: 9) }
            #expect(error?.path == path && (reason == nil || error?.reason == reason))
        }
    }
}
