/// The partial head of an HTTP request to the metrics server, and its answer.
struct MetricsRequest {
    /// The maximum size of a head in bytes.
    static let limit = 8_192

    private var bytes: [UInt8] = []

    enum Verdict: Equatable {
        case unfinished
        /// The metrics in a format, or their head alone.
        case metrics(MetricsFormat, headOnly: Bool)
        case refused(Refusal)
    }

    /// The status of a refused request.
    enum Refusal: String {
        case badRequest = "400 Bad Request"
        case notFound = "404 Not Found"
        case methodNotAllowed = "405 Method Not Allowed"
        case headTooLarge = "431 Request Header Fields Too Large"
        case unavailable = "503 Service Unavailable"
        case version = "505 HTTP Version Not Supported"
    }

    /// Takes in what came.
    mutating func add(_ more: [UInt8]) { bytes += more }

    var verdict: Verdict {
        guard bytes.count <= Self.limit else { return .refused(.headTooLarge) }
        guard let head = Self.head(of: bytes) else {
            return Self.mayBegin(bytes) ? .unfinished : .refused(.badRequest)
        }
        let words = head.prefix { $0 != 13 && $0 != 10 }
            .split(separator: 32, omittingEmptySubsequences: false)
            .map { String(decoding: $0, as: UTF8.self) }
        guard words.count == 3, words[2].hasPrefix("HTTP/"), words[1].hasPrefix("/") else {
            return .refused(.badRequest)
        }
        guard words[2].hasPrefix("HTTP/1.") else { return .refused(.version) }
        let path = words[1].prefix { $0 != "?" }
        guard path == "/metrics" else { return .refused(.notFound) }
        let format = MetricsFormat(accept: Self.values(of: "accept", in: head))
        switch words[0] {
        case "GET": return .metrics(format, headOnly: false)
        case "HEAD": return .metrics(format, headOnly: true)
        default: return .refused(.methodNotAllowed)
        }
    }

    /// The head without the empty line at its end; nil where that has not come.
    private static func head(of bytes: [UInt8]) -> ArraySlice<UInt8>? {
        for place in bytes.indices where bytes[place] == 10 {
            let rest = bytes[(place + 1)...]
            if rest.first == 10 || rest.starts(with: [13, 10]) { return bytes[..<place] }
        }
        return nil
    }

    /// The values of a header, joined by commas as HTTP joins them.
    private static func values(of name: String, in head: ArraySlice<UInt8>) -> String {
        head.split(separator: 10).dropFirst().compactMap { line -> String? in
            let parts = String(decoding: line, as: UTF8.self).split(
                separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, parts[0].lowercased() == name else { return nil }
            return String(parts[1].filter { $0 != "\r" && $0 != "\r\n" })
        }.joined(separator: ",")
    }

    /// Whether this may be the beginning of a request: other protocols are not waited for.
    private static func mayBegin(_ bytes: [UInt8]) -> Bool {
        bytes.prefix { $0 != 32 }.prefix(16).allSatisfy { (65...90).contains($0) }
    }

    static func answer(
        _ status: String, type: String, _ body: String, headOnly: Bool = false, more: String = ""
    ) -> [UInt8] {
        let head = """
            HTTP/1.1 \(status)\r
            Content-Type: \(type)\r
            Content-Length: \(body.utf8.count)\r
            Connection: close\r
            \(more)\r

            """
        return Array((head + (headOnly ? "" : body)).utf8)
    }

    static func answer(_ refusal: Refusal, _ reason: String? = nil) -> [UInt8] {
        let more = refusal == .methodNotAllowed ? "Allow: GET, HEAD\r\n" : ""
        let sentence = reason ?? "GET /metrics is all that is served here"
        return answer(
            refusal.rawValue, type: "text/plain; charset=utf-8", sentence + "\n", more: more)
    }
}
