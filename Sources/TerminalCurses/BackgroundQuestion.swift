import Platform
import TerminalUI

/// Asks a terminal for its ground before the curses library reads from it.
enum BackgroundQuestion {
    static let limitMilliseconds = 60

    /// The bytes that came meanwhile: the answers, and keys that were typed.
    static func ask(
        input: FileDescriptor, output: FileDescriptor
    ) throws(SystemError) -> [UInt8] {
        let modes = try TerminalModes(of: input.number)
        try modes.raw.apply(to: input.number)
        let answer: Result<[UInt8], SystemError>
        do {
            try output.writeAll(TerminalControl.askBackground)
            answer = .success(try listen(to: input))
        } catch {
            answer = .failure(error)
        }
        try modes.apply(to: input.number)
        return try answer.get()
    }

    private static func listen(to input: FileDescriptor) throws(SystemError) -> [UInt8] {
        let start = SystemClock.monotonicNanoseconds()
        var bytes: [UInt8] = []
        while !TerminalControl.isAnswered(bytes) {
            let passed = Int((SystemClock.monotonicNanoseconds() - start) / 1_000_000)
            guard passed < limitMilliseconds else { break }
            let ready = try Poll.wait(
                fds: [PollInterest(input.number)],
                timeoutMilliseconds: limitMilliseconds - passed)
            if ready.isEmpty { continue }
            guard case .bytes(let more) = try input.read(atMost: 4096) else { break }
            bytes += more
        }
        return bytes
    }
}
