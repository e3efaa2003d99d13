import SluiceC
import SluiceSystem
import SluiceTestSupport
import Testing

/// The link between machines does what a test wants of it: otherwise nothing is shown by it.
@Suite("many machines: the link")
struct LinkTests {
    @Test("what is sent arrives in order, later by its delay, and lost pieces later still")
    func stream() {
        var stream = Stream()
        var chance = SeededChance(seed: 1)
        var got: [UInt8] = []
        func deliver(_ instant: Int64, room: Int = .max) {
            stream.deliver(at: instant) { bytes in
                let count = min(room, bytes.count)
                got += bytes.prefix(count)
                return count
            }
        }
        stream.put([1, 2], way: Way(delayMilliseconds: 5), at: 100, chance: &chance)
        stream.put([3], way: Way(lossPerMille: 1000), at: 101, chance: &chance)
        stream.put([4], way: Way(), at: 102, chance: &chance)
        deliver(104)
        #expect(got == [] && stream.due == 105)
        deliver(105, room: 1)
        #expect(got == [1])
        deliver(300)
        #expect(got == [1, 2] && stream.due == 301)
        deliver(301)
        #expect(got == [1, 2, 3, 4] && stream.isEmpty && stream.due == nil)
    }

    @Test("a cut holds all up, a lost answer only the answers, and a break ends connections")
    func link() throws {
        let echo = try Echo()
        let link = try Link(at: "127.0.0.1", to: ("127.0.0.1", echo.port))
        let caller = try Caller(port: link.port)
        #expect(try caller.ask("a") == "a")
        link.loseAnswers()
        try caller.say("b")
        #expect(echo.hears("ab"))
        #expect(try caller.answer(withinMilliseconds: 30) == nil)
        link.cut()
        try caller.say("c")
        #expect(try caller.answer(withinMilliseconds: 30) == nil)
        #expect(echo.heard == "ab")
        link.heal()
        #expect(try caller.hears("bc"))
        link.breakConnections()
        #expect(try caller.isEnded())
        #expect(try Caller(port: link.port).ask("d") == "d")
    }
}

private final class Echo: Sendable {
    let port: UInt16
    private let listener: FileDescriptor
    private let text = Protected("")

    init() throws {
        var port: UInt16 = 0
        let listener = FileDescriptor(owning: csys_listen_loopback(&port))
        (self.port, self.listener) = (port, listener)
        let text = text
        _ = try Thread(name: "echo") {
            while true {
                let number = csys_accept(listener.number)
                guard number >= 0 else { return }
                let caller = FileDescriptor(owning: number)
                _ = try? Thread(name: "echo") {
                    while case .bytes(let bytes)? = try? caller.read(atMost: 100) {
                        text.withLock { $0 += String(decoding: bytes, as: UTF8.self) }
                        try? caller.writeAll(bytes)
                    }
                    caller.close()
                }
            }
        }
    }

    var heard: String { text.withLock { $0 } }

    func hears(_ wanted: String) -> Bool {
        let deadline = Deadline(seconds: 20)
        while heard != wanted, !deadline.isOver {
            _ = try? Poll.wait(fds: [], timeoutMilliseconds: 1)
        }
        return heard == wanted
    }
}

private struct Caller {
    private let socket: FileDescriptor

    init(port: UInt16) throws {
        var sockets: [Int32] = [-1]
        guard csys_connect_begin("127.0.0.1", String(port), &sockets, 1) == 1 else {
            throw ManyFailure("no connection")
        }
        socket = FileDescriptor(owning: sockets[0])
        _ = try Poll.wait(
            fds: [PollInterest(socket.number, readable: false, writable: true)],
            timeoutMilliseconds: 20_000)
    }

    func say(_ text: String) throws { try socket.writeAll(Array(text.utf8)) }

    func ask(_ text: String) throws -> String? {
        try say(text)
        return try answer(withinMilliseconds: 20_000)
    }

    /// The received text; empty at the end, `nil` on timeout.
    func answer(withinMilliseconds limit: Int) throws -> String? {
        let ready = try Poll.wait(
            fds: [PollInterest(socket.number)], timeoutMilliseconds: limit)
        guard !ready.isEmpty else { return nil }
        guard case .bytes(let bytes) = try socket.read(atMost: 100) else { return "" }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Whether a text arrives, in any number of pieces.
    func hears(_ wanted: String) throws -> Bool {
        var text = ""
        while text.utf8.count < wanted.utf8.count {
            guard let more = try answer(withinMilliseconds: 20_000), !more.isEmpty else { break }
            text += more
        }
        return text == wanted
    }

    func isEnded() throws -> Bool {
        do {
            return try answer(withinMilliseconds: 20_000) == ""
        } catch let error as SystemError {
            return error.isResetByPeer
        }
    }
}
