import SluiceC

/// The head of an answer, as far as anything here asks for it.
package struct HTTPHead: Hashable, Sendable {
    package enum Field: String, CaseIterable, Sendable {
        case contentLength = "Content-Length"
        case contentRange = "Content-Range"
        case date = "Date"
        case entityTag = "ETag"
        case lastModified = "Last-Modified"
        case location = "Location"
        case retryAfter = "Retry-After"
    }

    /// The status, such as 200.
    package var status: Int
    /// The values that came.
    package var fields: [Field: String] = [:]
    /// The absolute URL of a redirect, known only at the end; otherwise `nil`.
    package var redirect: String?
    /// The seconds of `Retry-After` from now on; nil where it came without, or with nonsense.
    package var retryAfterSeconds: Int64?

    /// A head without headers.
    package init(status: Int) { self.status = status }

    package var isSuccess: Bool { (200..<300).contains(status) }

    /// The validator for later requests: a strong `ETag`, or a `Last-Modified` at least a second
    /// older than the response. A younger one may match two versions. Otherwise `nil`.
    package var validator: String? {
        if let tag = fields[.entityTag], tag.hasPrefix("\"") { return tag }
        guard let modified = fields[.lastModified], let date = fields[.date], ccurl_load() == nil
        else { return nil }
        let (then, now) = (ccurl_date(modified), ccurl_date(date))
        return then >= 0 && now > then ? modified : nil
    }

    /// Its length in bytes; nil if it does not say.
    package var length: Int64? { fields[.contentLength].flatMap { Int64($0) } }

    /// Which bytes of how many came, of `bytes 10-19/100`; the total is nil where it is unknown.
    package var range: (first: Int64, end: Int64, total: Int64?)? {
        guard let text = fields[.contentRange], text.lowercased().hasPrefix("bytes ") else {
            return nil
        }
        let parts = text.dropFirst("bytes ".count).split(separator: "/")
        let bounds = parts.first?.split(separator: "-").map { Int64($0) } ?? []
        guard parts.count == 2, bounds.count == 2, let first = bounds[0], let last = bounds[1],
            first >= 0, last >= first
        else { return nil }
        let total = Int64(parts[1])
        guard total != nil || parts[1] == "*", total.map({ $0 > last }) ?? true else { return nil }
        return (first, last + 1, total)
    }

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
            // libcurl returns 0 for unreadable values.
            if seconds != 0 || text.first == "0" { retryAfterSeconds = max(0, seconds) }
        }
    }
}
