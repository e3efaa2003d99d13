import SluiceC
import Testing

@testable import SluiceSystem

/// The bytes of a text such as "02 18", blanks left out.
private func bytes(_ text: String) -> [UInt8] {
    let digits = text.utf8.compactMap { UInt8(String(UnicodeScalar($0)), radix: 16) }
    return stride(from: 0, to: digits.count - 1, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
}

/// A message of a kind: 24 is a route, 2 an error.
private func message(_ kind: UInt8, _ body: String) -> [UInt8] {
    let body = bytes(body)
    return [UInt8(16 + body.count), 0, 0, 0, kind, 0] + [UInt8](repeating: 0, count: 10) + body
}

@Suite("the network of this machine")
struct NetworkTests {
    @Test("B6 the question is one for the route to an address of the world, entry and all")
    func question() {
        let four = "24000000 1a00 0100 00000000 00000000 02 20 000000000000 00200000 0800 0100"
        #expect(RouteMessage.question(.four) == bytes(four + "c6290004"))
        let six = "30000000 1a00 0100 00000000 00000000 0a 80 000000000000 00200000 1400 0100"
        #expect(RouteMessage.question(.six) == bytes(six + "200105 03ba3e 00000000000000 02 0030"))
    }

    /// Kernel answers, as bytes after the message header, and their meaning.
    static let answers: [(String, UInt8, String, [WayOut.Hop]?)] = [
        (
            "a default route by a gateway", 24,
            "02000000fe030001 00000000 08000f00fe000000 08000500 0a090901 08000400 03000000",
            [WayOut.Hop(interface: 3, gateway: [10, 9, 9, 1])]
        ),
        (
            "a route without a gateway", 24, "02000000fe03fd01 00000000 08000400 07000000",
            [WayOut.Hop(interface: 7, gateway: [])]
        ),
        (
            "half of the world through a tunnel", 24,
            "02010000fe030001 00000000 08000100 80000000 08000400 05000000",
            [WayOut.Hop(interface: 5, gateway: [])]
        ),
        ("a link without a carrier", 24, "02000000fe03fd01 10000000 08000400 03000000", []),
        ("a dead route", 24, "02000000fe03fd01 01000000 08000400 03000000", []),
        ("the loopback link", 24, "02000000fe03fd01 00000000 08000400 01000000", []),
        ("a route that throws away", 24, "02000000fe03fd06 00000000 08000400 03000000", []),
        (
            "two hops, of which one is down", 24,
            "02000000fe030001 00000000 24000900"
                + "10001000 03000000 08000500 0a090901 10000000 04000000 08000500 0a090903",
            [WayOut.Hop(interface: 4, gateway: [10, 9, 9, 3])]
        ),
        ("the network is unreachable", 2, "9bffffff", []),
        ("the host is unreachable", 2, "8fffffff", []),
        ("not supported here", 2, "a1ffffff", nil),
        ("another message", 20, "02000000fe030001 00000000", nil),
        ("nothing behind the head", 24, "", nil),
    ]

    @Test("B6 an answer of the kernel is read for the hops that lead out", arguments: answers)
    func answer(what: String, kind: UInt8, body: String, hops: [WayOut.Hop]?) {
        let answer = RouteMessage.answer(message(kind, body))
        #expect(answer == hops.map { .hops($0) } ?? .unknown)
    }

    @Test(
        "B6 an answer that is cut is none, and no length in it leads astray", arguments: answers)
    func cut(what: String, kind: UInt8, body: String, hops: [WayOut.Hop]?) {
        let whole = message(kind, body)
        for count in whole.indices {
            #expect(RouteMessage.answer(Array(whole[..<count])) == .unknown)
        }
        for place in whole.indices {
            var changed = whole
            changed[place] ^= 0xff
            _ = RouteMessage.answer(changed)
        }
    }

    @Test("B6 a watch on the routes needs no rights")
    func watch() throws {
        let watch = try RouteWatch()
        #expect(watch.descriptor.number >= 0)
        #expect(Network.hasRoute == WayOut.now().isThere)
    }

    @Test("B6 a connection that begins stands where somebody listens, and fails where nobody does")
    func connections() throws {
        var port: UInt16 = 0
        let listener = FileDescriptor(owning: csys_listen_loopback(&port))
        #expect(try ended(ConnectionAttempt(host: "127.0.0.1", port: port)))
        listener.close()
        // Hold the port, because another process could bind a closed one.
        var deaf: UInt16 = 0
        let holder = FileDescriptor(owning: csys_bind_at("127.0.0.1", &deaf))
        #expect(try !ended(ConnectionAttempt(host: "127.0.0.1", port: deaf)))
        holder.close()
    }

    private func ended(_ attempt: ConnectionAttempt) throws -> Bool {
        while true {
            if let result = attempt.result() { return result }
            _ = try Poll.wait(fds: attempt.interests, timeoutMilliseconds: nil)
        }
    }
}
