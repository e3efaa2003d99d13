import SluiceC
import SluiceSystem

/// A program on a separate terminal. Records only bytes and times.
final class Screen {
    /// The response to a key: milliseconds to the first and last byte, and the number of bytes.
    struct Answer {
        var first: Double
        var last: Double
        var bytes: Int
    }

    let child: ChildProcess
    let master: FileDescriptor
    private let start: UInt64

    /// Starts a program on a terminal of 120 by 40.
    init(_ program: String, _ words: [String]) throws {
        var path = [CChar](repeating: 0, count: 128)
        let number = csys_terminal_open_master(&path, path.count)
        guard number >= 0 else { throw Workbench.Untrue(description: "there is no terminal") }
        master = FileDescriptor(owning: number)
        try master.setNonBlocking(true)
        try TerminalSize(columns: 120, rows: 40).apply(to: number)
        let name = String(
            decoding: path.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let kept = ["PATH", "HOME", "TMPDIR"].compactMap { name in
            ProcessIdentity.environment(name).map { "\(name)=\($0)" }
        }
        start = SystemClock.monotonicNanoseconds()
        child = try ChildProcess.spawn(
            Spawn(
                program, words, environment: kept + ["TERM=xterm-256color", "LANG=C.UTF-8"],
                group: .session(terminal: name)))
    }

    deinit {
        _ = try? child.signalGroup(.kill)
        master.close()
        _ = try? Poll.wait(fds: [PollInterest(child.pidfd.number)], timeoutMilliseconds: 5000)
        _ = try? child.reap()
    }

    /// Milliseconds from the start of the program until a text is on the screen.
    func wait(for text: String) throws -> Double {
        let wanted = Array(text.utf8)
        var found: [UInt8] = []
        while true {
            let bytes = try take(within: 10_000)
            guard !bytes.isEmpty else {
                throw Workbench.Untrue(
                    description: "\(text) did not come: \(String(decoding: found, as: UTF8.self))")
            }
            let moment = SystemClock.monotonicNanoseconds()
            found = Array(found.suffix(wanted.count)) + bytes
            if found.holds(wanted) { return Double(moment - start) / 1e6 }
        }
    }

    /// Reads output until none has come for `milliseconds`, and returns it.
    @discardableResult
    func settle(_ milliseconds: Int = 100) throws -> [UInt8] {
        var all: [UInt8] = []
        while true {
            let bytes = try take(within: milliseconds)
            if bytes.isEmpty { return all }
            all += bytes
        }
    }

    /// Presses a key, and listens until nothing has come for so long.
    func press(_ key: [UInt8], quiet: Int = 15) throws -> Answer {
        _ = try settle(0)
        let before = SystemClock.monotonicNanoseconds()
        try master.writeAll(key)
        var answer = Answer(first: 0, last: 0, bytes: 0)
        while true {
            let bytes = try take(within: answer.bytes == 0 ? 5000 : quiet)
            guard !bytes.isEmpty else { return answer }
            answer.last = Double(SystemClock.monotonicNanoseconds() - before) / 1e6
            if answer.bytes == 0 { answer.first = answer.last }
            answer.bytes += bytes.count
        }
    }

    private func take(within milliseconds: Int) throws -> [UInt8] {
        let ready = try Poll.wait(
            fds: [PollInterest(master.number)], timeoutMilliseconds: milliseconds)
        guard !ready.isEmpty, case .bytes(let bytes) = try master.read(atMost: 65536) else {
            return []
        }
        return bytes
    }
}

/// The byte sequences of keys.
enum Keys {
    static let down = Array("\u{1B}OB".utf8)
    static let pageDown = Array("\u{1B}[6~".utf8)
    static let home = Array("\u{1B}OH".utf8)
    static let end = Array("\u{1B}OF".utf8)
    static let escape: [UInt8] = [27]
}

extension [UInt8] {
    fileprivate func holds(_ wanted: [UInt8]) -> Bool {
        guard count >= wanted.count else { return false }
        return indices.dropLast(wanted.count - 1).contains { place in
            self[place..<place + wanted.count].elementsEqual(wanted)
        }
    }
}
