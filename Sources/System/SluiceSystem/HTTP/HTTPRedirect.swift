/// The rules for redirects, without effects.
enum HTTPRedirect {
    static let limit = 10
    /// The number of bytes read of a redirect's own body, so that its connection can be reused.
    static let bodyLimitBytes = 64 << 10

    /// Whether to follow the redirect. 301 and 302 would silently drop the body of methods other
    /// than GET and HEAD: such a response is final.
    static func isFollowed(_ head: HTTPHead, of request: HTTPRequest) -> Bool {
        guard head.fields[.location] != nil else { return false }
        switch head.status {
        case 303, 307, 308: return true
        case 301, 302: return request.method == "GET" || request.isHead
        default: return false
        }
    }

    /// The request that a redirect asks for. To another server go none of the headers that may say
    /// who asks.
    static func next(
        of request: HTTPRequest, _ head: HTTPHead, hop: Int
    ) throws(HTTPFailure) -> HTTPRequest {
        guard hop <= limit else { throw .redirect("more than \(limit) redirects") }
        var next = request
        do throws(HTTPFailure) {
            next.url = try HTTPURL(head.redirect ?? "")
        } catch {
            throw .redirect("a redirect leads to an address that cannot be used")
        }
        if head.status == 303, !request.isHead {
            next.method = "GET"
            next.bodyBytes = nil
            next.headers.removeAll(where: \.isOfBody)
        }
        if next.url.origin != request.url.origin { next.headers.removeAll { !$0.isHarmless } }
        return next
    }
}

/// Discards the body of a redirect; passes any other body to its sink.
private final class RedirectSink: HTTPSink {
    private let sink: any HTTPSink
    private let request: HTTPRequest
    private var isFollowed = false
    private var leftBytes = HTTPRedirect.bodyLimitBytes

    init(_ sink: any HTTPSink, request: HTTPRequest) {
        self.sink = sink
        self.request = request
    }

    func begin(_ head: HTTPHead) -> HTTPAppetite {
        isFollowed = HTTPRedirect.isFollowed(head, of: request)
        return isFollowed ? .more : sink.begin(head)
    }

    func write(_ bytes: UnsafeRawBufferPointer) -> HTTPAppetite {
        guard isFollowed else { return sink.write(bytes) }
        leftBytes -= bytes.count
        return leftBytes > 0 ? .more : .enough
    }
}

extension HTTPSession {
    /// The answer at the end of all redirects; only that one reaches `sink`. `onRedirect` gets the
    /// address of each redirect, `onEnd` each request with its result.
    package func answer(
        to request: HTTPRequest, body: (any HTTPBody)?, sink: any HTTPSink,
        _ interruption: HTTPInterruption, onEnd: ((HTTPTrace) -> Void)? = nil,
        onRedirect: (HTTPURL) -> Void = { _ in }
    ) throws(HTTPFailure) -> HTTPHead {
        var request = request
        var hop = 0
        while true {
            let head = try exchange(
                request, body: request.bodyBytes == nil ? nil : body,
                sink: RedirectSink(sink, request: request), interruption, onEnd: onEnd)
            guard HTTPRedirect.isFollowed(head, of: request) else { return head }
            hop += 1
            request = try HTTPRedirect.next(of: request, head, hop: hop)
            if request.bodyBytes != nil, body?.rewind() != true {
                throw .redirect("the body cannot be sent again")
            }
            onRedirect(request.url)
        }
    }
}
