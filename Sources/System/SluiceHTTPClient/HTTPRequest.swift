/// One question to a server.
package struct HTTPRequest: Hashable, Sendable {
    /// How long is waited for what.
    package struct Limits: Hashable, Sendable {
        /// For the connection: name, handshake and proxy, in milliseconds.
        package var connectMilliseconds: Int64 = 30_000
        /// Without a single byte in either direction, in milliseconds.
        package var stalledMilliseconds: Int64 = 60_000

        /// The standard limits.
        package init() {}
    }

    /// The method in capitals.
    package var method: String
    /// Where it goes.
    package var url: HTTPURL
    /// What is said beside it.
    package var headers: [HTTPHeader]
    /// How many bytes its body has; nil for none at all.
    package var bodyBytes: Int64?
    /// How long is waited.
    package var limits = Limits()
    /// A file of certificates that are trusted instead of the machine's.
    package var certificates: String?

    /// A question with the standard limits.
    package init(
        _ method: String, _ url: HTTPURL, headers: [HTTPHeader] = [], bodyBytes: Int64? = nil
    ) {
        self.method = method
        self.url = url
        self.headers = headers
        self.bodyBytes = bodyBytes
    }

    /// Whether only the head of the answer is asked for.
    var isHead: Bool { method == "HEAD" }
}

/// The body of a request, read piece by piece on the thread of its session.
package protocol HTTPBody: AnyObject {
    /// Fills in the next bytes and says how many; nil ends the exchange as `aborted`.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int?
    /// Goes back to the first byte; false where that cannot be.
    func rewind() -> Bool
}

/// Whether a receiver wants what comes.
package enum HTTPAppetite: Hashable, Sendable {
    /// Go on.
    case more
    /// That was all it needs: the exchange ends well, its connection is closed.
    case enough
    /// It cannot go on: the exchange ends as `aborted`.
    case abort
}

/// Who receives an answer, on the thread of its session.
package protocol HTTPSink: AnyObject {
    /// The head has come: called once for each answer, before its first byte.
    func begin(_ head: HTTPHead) -> HTTPAppetite
    /// The next bytes have come; they are gone when this returns.
    func write(_ bytes: UnsafeRawBufferPointer) -> HTTPAppetite
}
