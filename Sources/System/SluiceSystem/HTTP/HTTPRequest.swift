/// One question to a server.
package struct HTTPRequest: Hashable, Sendable {
    package struct Limits: Hashable, Sendable {
        /// For the connection: name, handshake and proxy, in milliseconds.
        package var connectMilliseconds: Int64 = 30_000
        /// Without a single byte in either direction, in milliseconds.
        package var stalledMilliseconds: Int64 = 60_000

        /// The standard limits.
        package init() {}
    }

    package var method: String
    package var url: HTTPURL
    package var headers: [HTTPHeader]
    /// How many bytes its body has; nil for none at all.
    package var bodyBytes: Int64?
    package var limits = Limits()
    /// A file of trusted certificates, in place of the machine's.
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

    /// Whether the request is for the head of the response only.
    var isHead: Bool { method == "HEAD" }
}

/// The body of a request, read piece by piece on the thread of its session.
package protocol HTTPBody: AnyObject {
    /// Fills in the next bytes and says how many; nil ends the exchange as `aborted`.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int?
    /// Goes back to the first byte; false if that cannot be.
    func rewind() -> Bool
}

/// Whether a receiver wants more data.
package enum HTTPAppetite: Hashable, Sendable {
    case more
    /// Success with the data so far; the connection closes.
    case enough
    /// The receiver cannot continue: the exchange ends as `aborted`.
    case abort
}

/// Who receives an answer, on the thread of its session.
package protocol HTTPSink: AnyObject {
    /// The head has come: called once for each answer, before its first byte.
    func begin(_ head: HTTPHead) -> HTTPAppetite
    /// Receives the next bytes, valid only during the call.
    func write(_ bytes: UnsafeRawBufferPointer) -> HTTPAppetite
}
