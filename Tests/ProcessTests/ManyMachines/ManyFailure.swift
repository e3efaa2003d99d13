import SluiceSystem
import SluiceTestSupport

/// A failure of the scene itself, or the reason why it cannot be set up.
struct ManyFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

extension Tool {
    /// Runs a command and returns its output. Throws unless it exits with 0.
    @discardableResult
    static func run(_ program: String, _ words: [String]) throws -> String {
        let child = try ChildProcess.spawn(
            Spawn(
                program, words, environment: ["PATH=/usr/sbin:/usr/bin:/sbin:/bin"],
                errors: .sameAsOutput))
        let bytes = try child.output?.readAll(limitBytes: 1 << 20) ?? []
        let deadline = Deadline(seconds: 30)
        while try child.reap() == nil, !deadline.isOver {
            _ = try Poll.wait(
                fds: [PollInterest(child.pidfd.number)],
                timeoutMilliseconds: deadline.leftMilliseconds)
        }
        let text = String(decoding: bytes, as: UTF8.self)
        guard try child.reap() == .code(0) else {
            throw ManyFailure("\(program) \(words.joined(separator: " ")): \(text)")
        }
        return text
    }
}
