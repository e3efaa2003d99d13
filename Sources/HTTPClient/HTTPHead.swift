import CCurl

/// The head of an answer, as far as anything here asks for it.
public struct HTTPHead: Hashable, Sendable {
    /// The headers that are kept.
    public enum Field: String, CaseIterable, Sendable {
        case contentLength = "Content-Length"
        case contentRange = "Content-Range"
        case contentType = "Content-Type"
        case date = "Date"
        case entityTag = "ETag"
        case lastModified = "Last-Modified"
        case location = "Location"
        case retryAfter = "Retry-After"
    }

    /// The status, such as 200.
    public var status: Int
    /// The values that came.
    public var fields: [Field: String] = [:]
    /// Where it leads, as a whole address; nil where it is no redirect. Known at the end only.
    public var redirect: String?
    /// The seconds of `Retry-After` from now on; nil where it came without, or with nonsense.
    public var retryAfterSeconds: Int64?

    /// A head without headers.
    public init(status: Int) { self.status = status }

    /// Whether the answer is a success.
    public var isSuccess: Bool { (200..<300).contains(status) }

    /// The head of the answer that a session has now; nil before there is one.
    init?(of session: OpaquePointer) {
        let status = ccurl_status(session)
        guard status > 0 else { return nil }
        self.init(status: Int(status))
        for field in Field.allCases {
            if let value = ccurl_header(session, field.rawValue) {
                fields[field] = String(cString: value)
            }
        }
        redirect = ccurl_redirect(session).map { String(cString: $0) }
        if let text = fields[.retryAfter] {
            let seconds = ccurl_retry_after(session)
            // libcurl gives 0 for what it cannot read.
            if seconds != 0 || text.first == "0" { retryAfterSeconds = max(0, seconds) }
        }
    }
}
