import SluiceModel

/// The reason a broker did not perform an AMQP request.
struct AMQPError: Error, Hashable, Sendable, CustomStringConvertible {
    enum Origin: Hashable, Sendable {
        /// The connection failed or was lost. The last request may have succeeded.
        case lost
        /// The peer speaks no AMQP 0-9-1, or sent what that does not have.
        case unexpected
        /// The broker refused, by the number of its reply: 403, 404, 405, 406.
        case refused(Int)
    }

    var origin: Origin
    var message: String

    init(_ origin: Origin, _ message: String) { (self.origin, self.message) = (origin, message) }

    static let malformed = AMQPError(.unexpected, "it sent no frame of AMQP 0-9-1")

    var description: String { message }

    /// The number of the broker's refusal; nil if it did not refuse.
    var code: Int? {
        if case .refused(let code) = origin { return code }
        return nil
    }
}

extension QueueError {
    /// A broker's refusal or loss, in this program's words.
    init(_ error: AMQPError, _ name: String) {
        switch error.origin {
        case .lost:
            self.init(
                .serverGone, "\(name): by AMQP: \(error.message)",
                fix: "check the broker and the port of the address, and try again")
        case .unexpected:
            self.init(
                .notAStore, "\(name): by AMQP: \(error.message)",
                fix: "check the port of the address: 5672, by TLS 5671, unless it was changed")
        case .refused(let code):
            self.init(
                .denied, "\(name): the broker refused: \(error.message)",
                fix: code == 403 || code == 530
                    ? "use an account that may configure, write and read the queue and "
                        + "sluice.* in the vhost" : "")
        }
    }
}
