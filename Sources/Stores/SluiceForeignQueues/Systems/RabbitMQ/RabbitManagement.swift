import SluiceModel
import SluiceSystem

/// The management interface of a broker: JSON by HTTP, one question after the other.
final class RabbitManagement {
    let address: RabbitAddress
    private let session = HTTPSession()

    /// The maximum size of an answer in bytes.
    private static let answerLimit = 64 << 20

    init(_ address: RabbitAddress) { self.address = address }

    /// The value at a path; `nil` if the path does not exist. Encodes the parts of the path.
    func get(_ parts: [String], query: String = "") throws(QueueError) -> JSONValue? {
        try ask("GET", parts, query, nil)
    }

    /// Sends a request as JSON; nil for a path without a resource.
    func post(_ parts: [String], _ body: JSONValue) throws(QueueError) -> JSONValue? {
        try ask("POST", parts, "", body.bytes)
    }

    /// Sets a resource.
    func put(_ parts: [String], _ body: JSONValue) throws(QueueError) {
        _ = try ask("PUT", parts, "", body.bytes)
    }

    /// Deletes a resource, if it exists.
    func delete(_ parts: [String]) throws(QueueError) {
        _ = try ask("DELETE", parts, "", nil)
    }

    private func ask(
        _ method: String, _ parts: [String], _ query: String, _ body: [UInt8]?
    ) throws(QueueError) -> JSONValue? {
        let path = parts.map(PercentText.encoded).joined(separator: "/")
        let sink = BoundedSink(limit: Self.answerLimit)
        let head: HTTPHead
        do {
            var request = HTTPRequest(
                method, try HTTPURL(address.management + path + query),
                headers: try headers(hasBody: body != nil),
                bodyBytes: body.map { Int64($0.count) })
            request.limits.connectMilliseconds = 10_000
            request.limits.stalledMilliseconds = 30_000
            request.certificates = address.authorities
            head = try session.exchange(
                request, body: body.map { BytesBody($0) }, sink: sink, HTTPInterruption())
        } catch let failure as HTTPFailure {
            throw error(failure)
        } catch {
            throw QueueError(.badValue, "\(address.name): \(error)")
        }
        return try answer(head, sink.bytes)
    }

    private func headers(hasBody: Bool) throws -> [HTTPHeader] {
        let secret = Base64.encode(Array("\(address.user):\(address.password)".utf8))
        let type = hasBody ? [try HTTPHeader("Content-Type", "application/json")] : []
        return try [HTTPHeader("Authorization", "Basic \(secret)")] + type
    }

    private func answer(_ head: HTTPHead, _ bytes: [UInt8]) throws(QueueError) -> JSONValue? {
        let value = try? JSONValue.parse(bytes)
        let reason = value?["reason"]?.string ?? value?["error"]?.string
        switch head.status {
        case 200..<300:
            if let value { return value }
            if bytes.isEmpty { return nil }
            throw noManagement("its answer is not JSON")
        case 404 where reason != nil: return nil
        case 401, 403:
            throw QueueError(
                .denied,
                "\(address.name): the management interface refuses \(address.user): "
                    + (reason ?? "\(head.status)"),
                fix: "it asks for the password, the tag management, and rights in the vhost")
        case 500..<600 where reason != nil:
            throw QueueError(
                .serverGone, "\(address.name): the broker says \(reason ?? "")",
                fix: "check the broker and try again")
        default:
            if let reason { throw refusal(reason) }
            throw noManagement("it answers \(head.status)")
        }
    }

    private func refusal(_ reason: String) -> QueueError {
        QueueError(
            .denied, "\(address.name): the broker refused: \(reason)",
            fix: reason.contains("ACCESS_REFUSED") ? "use an account that may read there" : "")
    }

    /// The error for a port without a management interface.
    func noManagement(_ reason: String) -> QueueError {
        QueueError(
            .notAStore,
            "\(address.name): no management interface of RabbitMQ is at port "
                + "\(address.managementPort): \(reason)",
            fix: "rabbitmq-plugins enable rabbitmq_management switches it on; where it has "
                + "another port, end the address with ?management=PORT")
    }

    private func error(_ failure: HTTPFailure) -> QueueError {
        switch failure {
        case .unavailable(let reason):
            QueueError(
                .notAStore, "\(address.name): \(reason)", fix: "install it and try again")
        case .aborted:
            QueueError(
                .denied, "\(address.name): the answer has more than \(Self.answerLimit) bytes",
                fix: "look at a vhost with fewer queues")
        case .transport(let reason), .offline(let reason): noManagement(reason)
        case .badURL(let reason):
            QueueError(.badValue, "\(address.name): \(reason)", fix: "check the address")
        case .stalled, .slowHead:
            QueueError(
                .serverGone, "\(address.name): the management interface does not answer",
                fix: "check the broker and try again")
        case .redirect(let reason), .shortage(let reason): noManagement(reason)
        case .stopped: QueueError(.serverGone, "\(address.name): interrupted", fix: "try again")
        }
    }
}

/// Keeps an answer up to a length; a longer one ends the exchange.
private final class BoundedSink: HTTPSink {
    private(set) var bytes: [UInt8] = []
    private let limit: Int

    init(limit: Int) { self.limit = limit }

    func begin(_ head: HTTPHead) -> HTTPAppetite {
        bytes = []
        return .more
    }

    func write(_ more: UnsafeRawBufferPointer) -> HTTPAppetite {
        guard bytes.count + more.count <= limit else { return .abort }
        bytes += more
        return .more
    }
}
