import SluiceC
import SluiceSystem

/// One request on one connection, and the answer to it.
package final class Talk {
    /// The method, path and headers of a request to the test server.
    package struct Request: Sendable, Hashable {
        package var method: String
        package var path: String
        /// The headers, their names in small letters.
        package var headers: [String: String] = [:]
        /// How many bytes its body shall have.
        package var bodyBytes: Int64 { headers["content-length"].flatMap { Int64($0) } ?? 0 }

        /// The first byte that a `Range: bytes=n-` asks for; nil without one.
        package var rangeStart: Int64? {
            guard let range = headers["range"], range.hasPrefix("bytes="), range.hasSuffix("-")
            else { return nil }
            return Int64(range.dropFirst("bytes=".count).dropLast())
        }
    }

    package let request: Request
    /// Which request to the server it is, from 1.
    package let number: Int
    /// Whether the connection is at its end.
    package private(set) var isOver = false
    private let connection: FileDescriptor
    private let end: EventSignal
    private var rest: [UInt8]
    private var unreadBytes: Int64
    private var mustInvite: Bool

    init(
        _ connection: FileDescriptor, _ end: EventSignal, _ request: Request, number: Int,
        rest: [UInt8]
    ) {
        self.connection = connection
        self.end = end
        self.request = request
        self.number = number
        self.rest = rest
        unreadBytes = request.bodyBytes
        mustInvite = request.headers["expect"]?.lowercased() == "100-continue"
    }

    package func send(_ text: String) throws { try send(Array(text.utf8)) }

    /// Sends bytes unchanged.
    package func send(_ bytes: [UInt8]) throws { try connection.writeAll(bytes) }

    /// Sends a whole answer with its length; each header is a line.
    package func answer(_ status: Int, _ headers: [String] = [], _ body: String = "") throws {
        try answer(status, headers, Array(body.utf8))
    }

    /// Sends a whole answer with its length.
    package func answer(_ status: Int, _ headers: [String] = [], _ body: [UInt8]) throws {
        try head(status, headers + ["Content-Length: \(body.count)"])
        if request.method != "HEAD" { try send(body) }
    }

    /// Sends the head of an answer.
    package func head(_ status: Int, _ headers: [String]) throws {
        try send("HTTP/1.1 \(status) Scripted\r\n\(headers.map { "\($0)\r\n" }.joined())\r\n")
    }

    /// Reads the whole body, at most `limitBytes` of it, in memory.
    package func body(limitBytes: Int64 = .max) throws -> [UInt8] {
        var all: [UInt8] = []
        while Int64(all.count) < min(limitBytes, request.bodyBytes), let more = try readSome() {
            all += more
        }
        return all
    }

    /// The next bytes of the body; nil at its end.
    package func readSome() throws -> [UInt8]? {
        guard unreadBytes > 0 else { return nil }
        if mustInvite {
            mustInvite = false
            try send("HTTP/1.1 100 Continue\r\n\r\n")
        }
        if rest.isEmpty {
            guard let more = try Self.read(connection, end) else {
                throw ServerFailure("the client left in the middle of its body")
            }
            rest = more
        }
        let count = min(rest.count, Int(clamping: unreadBytes))
        let taken = Array(rest.prefix(count))
        rest.removeFirst(count)
        unreadBytes -= Int64(count)
        return taken
    }

    /// Waits until the client has gone, or the server ends.
    package func waitUntilGone() throws {
        while try Self.read(connection, end) != nil {}
        isOver = true
    }

    /// Reads a little of the body now and then, until the client has gone in the middle of it.
    package func dawdle() throws {
        while try readSome() != nil { _ = try Poll.wait(fds: [], timeoutMilliseconds: 5) }
    }

    /// Breaks the connection once the client has all that was sent: it gets an error rather than
    /// an end.
    package func cut() {
        let deadline = SystemClock.monotonicNanoseconds() + 5_000_000_000
        while csys_unacknowledged_bytes(connection.number) > 0,
            SystemClock.monotonicNanoseconds() < deadline
        {
            // The last byte's arrival has no notification, so poll.
            _ = try? Poll.wait(fds: [], timeoutMilliseconds: 1)
        }
        _ = csys_break_on_close(connection.number)
        close()
    }

    /// Ends the connection.
    package func close() {
        isOver = true
        connection.close()
    }

    /// Returns the bytes after this request, and skips the rest of its body.
    func leftover() throws -> [UInt8] {
        while try readSome() != nil {}
        return rest
    }
}

extension Talk {
    static func read(_ connection: FileDescriptor, _ end: EventSignal) throws -> [UInt8]? {
        guard ScriptedServer.waitForInput(connection, end) else { return nil }
        switch try connection.read(atMost: 256 << 10) {
        case .bytes(let bytes): return bytes
        case .end, .nothingYet: return nil
        }
    }

    static func readHead(
        _ connection: FileDescriptor, _ end: EventSignal, _ rest: inout [UInt8]
    ) throws -> Request? {
        let mark = Array("\r\n\r\n".utf8)
        var bytes = rest
        while true {
            if let place = bytes.firstRange(of: mark) {
                rest = Array(bytes[place.upperBound...])
                return parse(String(decoding: bytes[..<place.lowerBound], as: UTF8.self))
            }
            guard bytes.count < 1 << 20 else { throw ServerFailure("an endless head") }
            guard let more = try read(connection, end) else { return nil }
            bytes += more
        }
    }

    private static func parse(_ head: String) -> Request {
        let lines = head.split(separator: "\r\n", omittingEmptySubsequences: false)
        let words = lines.first?.split(separator: " ").map(String.init) ?? []
        var request = Request(method: words.first ?? "", path: words.dropFirst().first ?? "")
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: ":") else { continue }
            let name = line[..<colon].lowercased()
            let value = line[line.index(after: colon)...].drop(while: \.isWhitespace)
            request.headers[name] = String(value)
        }
        return request
    }
}

extension SystemError {
    /// Whether the other side of a connection went.
    var isGonePeer: Bool { isBrokenPipe || isResetByPeer }
}
