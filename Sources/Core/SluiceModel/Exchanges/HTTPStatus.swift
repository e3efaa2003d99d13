/// The names of HTTP's statuses.
package enum HTTPStatus {
    /// The name of a status; nil for one without.
    package static func name(_ status: Int) -> String? { names[status] }

    /// `404 Not Found`.
    package static func words(_ status: Int) -> String {
        names[status].map { "\(status) \($0)" } ?? "\(status)"
    }

    private static let names: [Int: String] = [
        200: "OK", 201: "Created", 202: "Accepted", 204: "No Content", 206: "Partial Content",
        301: "Moved Permanently", 302: "Found", 303: "See Other", 304: "Not Modified",
        307: "Temporary Redirect", 308: "Permanent Redirect", 400: "Bad Request",
        401: "Unauthorized", 403: "Forbidden", 404: "Not Found", 405: "Method Not Allowed",
        408: "Request Timeout", 409: "Conflict", 410: "Gone", 412: "Precondition Failed",
        413: "Content Too Large", 415: "Unsupported Media Type", 416: "Range Not Satisfiable",
        422: "Unprocessable Content", 425: "Too Early", 429: "Too Many Requests",
        500: "Internal Server Error", 501: "Not Implemented", 502: "Bad Gateway",
        503: "Service Unavailable", 504: "Gateway Timeout", 507: "Insufficient Storage",
    ]
}
