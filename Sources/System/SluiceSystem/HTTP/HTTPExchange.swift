import SluiceC

/// The state shared by an exchange's callbacks, used only on its session's thread.
final class HTTPExchange {
    private let session: OpaquePointer
    private let body: (any HTTPBody)?
    private let sink: any HTTPSink
    private var head: HTTPHead?
    private var appetite = HTTPAppetite.more
    private var hasBodyFailed = false
    private var activeNanoseconds = SystemClock.monotonicNanoseconds()
    /// The unacknowledged bytes in the socket at the last timeout.
    private var heldBytes: Int?

    init(session: OpaquePointer, body: (any HTTPBody)?, sink: any HTTPSink) {
        self.session = session
        self.body = body
        self.sink = sink
    }

    func begin(_ request: HTTPRequest) throws(HTTPFailure) {
        for header in lines(of: request) {
            guard ccurl_add_header(session, header) == 1 else { throw .unavailable("no memory") }
        }
        let wrong = request.method.withCString { method in
            request.url.text.withCString { url in
                guard let certificates = request.certificates else {
                    return begin(request, method, url, nil)
                }
                return certificates.withCString { begin(request, method, url, $0) }
            }
        }
        if let wrong { throw .transport(String(cString: wrong)) }
    }

    private func lines(of request: HTTPRequest) -> [String] {
        let asksFirst = request.bodyBytes.map { $0 > 1 << 20 } ?? false
        // Only a large body waits for the server's word, which many never give.
        return request.headers.map(\.line) + (asksFirst ? [] : ["Expect:"])
    }

    private func begin(
        _ request: HTTPRequest, _ method: UnsafePointer<CChar>, _ url: UnsafePointer<CChar>,
        _ certificates: UnsafePointer<CChar>?
    ) -> UnsafePointer<CChar>? {
        var raw = ccurl_request(
            method: method, url: url, body_bytes: request.bodyBytes ?? -1,
            is_head: request.isHead ? 1 : 0,
            connect_milliseconds: request.limits.connectMilliseconds,
            certificates: certificates, context: Unmanaged.passUnretained(self).toOpaque(),
            read: { HTTPExchange.of($0).read($1, $2) },
            write: { HTTPExchange.of($0).write($1, $2) },
            rewind: { HTTPExchange.of($0).body?.rewind() == true ? 1 : 0 })
        return ccurl_begin(session, &raw)
    }

    private static func of(_ context: UnsafeMutableRawPointer) -> HTTPExchange {
        Unmanaged<HTTPExchange>.fromOpaque(context).takeUnretainedValue()
    }

    private func read(_ bytes: UnsafeMutablePointer<CChar>, _ capacity: Int) -> Int {
        activeNanoseconds = SystemClock.monotonicNanoseconds()
        let buffer = UnsafeMutableRawBufferPointer(start: bytes, count: capacity)
        guard let count = body?.read(into: buffer) else {
            hasBodyFailed = true
            return Int(bitPattern: UInt.max)
        }
        return count
    }

    private func write(_ bytes: UnsafePointer<CChar>, _ count: Int) -> Int {
        activeNanoseconds = SystemClock.monotonicNanoseconds()
        parseHead()
        if appetite == .more {
            appetite = sink.write(UnsafeRawBufferPointer(start: bytes, count: count))
        }
        return appetite == .more ? count : Int(bitPattern: UInt.max)
    }

    private func parseHead() {
        guard head == nil, let head = HTTPHead(of: session) else { return }
        self.head = head
        appetite = sink.begin(head)
    }

    /// Returns the response, or throws the reason for its absence.
    func finish(_ code: Int32) throws(HTTPFailure) -> HTTPHead {
        if hasBodyFailed { throw .aborted }
        if code == 0 { parseHead() }
        if appetite == .abort { throw .aborted }
        if let head, code == 0 || appetite == .enough { return HTTPHead(of: session) ?? head }
        let text = String(cString: ccurl_error_text(session, code))
        let number = Int32(truncatingIfNeeded: ccurl_system_error(session))
        throw HTTPFailure(code: code, systemError: number, text: text)
    }

    /// The milliseconds until the exchange counts as stalled; throws if it has. Bytes in transit to
    /// a slow server count as progress.
    func stallTimeout(_ limit: Int64) throws(HTTPFailure) -> Int64 {
        let now = SystemClock.monotonicNanoseconds()
        let idle = Int64((now - activeNanoseconds) / 1_000_000)
        if idle < limit { return limit - idle }
        let socket = ccurl_socket(session)
        let held = Network.unacknowledgedBytes(socket: socket)
        guard let held, held > 0, held != heldBytes else {
            // Only the socket shows the progress of an incomplete head.
            let received = Network.millisecondsSinceReceived(socket: socket)
            throw head == nil && received.map { $0 < limit } == true
                ? .slowHead(milliseconds: limit)
                : .stalled(milliseconds: limit)
        }
        heldBytes = held
        activeNanoseconds = now
        return limit
    }
}
