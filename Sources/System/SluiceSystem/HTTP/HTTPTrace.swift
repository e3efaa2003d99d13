import SluiceC

/// One request that was sent, and what came of it: for a record of it.
package struct HTTPTrace: Sendable {
    /// The request, one of a redirect too.
    package let request: HTTPRequest
    /// The status of the answer; nil if none came.
    package let status: Int?
    /// The protocol of the answer, such as `HTTP/1.1`.
    package let version: String?
    /// Every line of the answer's head, in order.
    package let headers: [(name: String, value: String)]
    /// Why there is no answer, or no whole one.
    package let failure: HTTPFailure?
    /// The moments at which the phases ended, in microseconds since the start: name, connection,
    /// keys, the request's turn, first byte, end. 0 is a moment that never came.
    package let phaseEnds: [Int64]

    /// Reads the exchange that has just ended from a session.
    init(_ request: HTTPRequest, of session: OpaquePointer, failure: HTTPFailure?) {
        self.request = request
        self.failure = failure
        let status = Int(ccurl_status(session))
        self.status = status > 0 ? status : nil
        version = ccurl_version(session).map { String(cString: $0) }
        var headers: [(name: String, value: String)] = []
        var entry: OpaquePointer?
        var (name, value): (UnsafePointer<CChar>?, UnsafePointer<CChar>?)
        while ccurl_next_header(session, &entry, &name, &value) == 1, let name, let value {
            headers.append((String(cString: name), String(cString: value)))
        }
        self.headers = headers
        phaseEnds = (0..<Int32(CCURL_PHASES)).map { ccurl_phase_end(session, $0) }
    }
}
