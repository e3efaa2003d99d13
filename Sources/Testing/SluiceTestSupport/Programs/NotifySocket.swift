import SluiceSystem

/// A service manager's socket for messages of a worker.
package final class NotifySocket: Sendable {
    package let path: String
    private let socket: FileDescriptor
    private let heard = Protected<[String]>([])

    /// Listens at a path; `@` begins an abstract name.
    package init(path: String) throws {
        self.path = path
        socket = try MessageSocket.listen(path: path)
    }

    /// All lines that came so far, in their order.
    package var lines: [String] { heard.withLock { $0 } }

    /// Waits until the lines are as wanted; gives them.
    @discardableResult
    package func wait(
        for what: String, seconds: Int = Workplace.timeoutSeconds,
        until condition: ([String]) -> Bool
    ) throws -> [String] {
        let deadline = Deadline(seconds: seconds)
        while true {
            while case .bytes(let bytes) = try socket.read(atMost: 65536) {
                let text = String(decoding: bytes, as: UTF8.self)
                heard.withLock { $0 += text.split(separator: "\n").map(String.init) }
            }
            if condition(lines) { return lines }
            guard !deadline.isOver else {
                throw ProgramFailure.timedOut(
                    what, seconds: seconds, known: lines.joined(separator: "\n"))
            }
            _ = try Poll.wait(
                fds: [PollInterest(socket.number)], timeoutMilliseconds: deadline.leftMilliseconds)
        }
    }
}
