/// A failure of a server, or of its client library.
package struct PostgresError: Error, Hashable, Sendable {
    /// The place where a failure begins.
    package enum Origin: Hashable, Sendable {
        /// libpq is missing, or too old.
        case library
        /// libpq cannot read the address.
        case address
        /// The connection failed; with the server's code, if any.
        case connecting(code: String?)
        /// The connection broke: the last statement may have executed or not.
        case lost
        /// The server refused a statement, by its code of five characters (SQLSTATE).
        case statement(code: String)
        /// The server wants a password, and the settings have none.
        case passwordMissing
    }

    /// The place where it began.
    package var origin: Origin
    /// The message, in one line and without secrets.
    package var message: String
    /// The constraint that a statement breaks, and what the server says of the key.
    package var constraint: String?
    package var detail: String?

    package init(_ origin: Origin, _ message: String) {
        self.origin = origin
        self.message = message.split(whereSeparator: \.isNewline).first.map(String.init) ?? message
    }

    /// The server's code, where it gave one.
    package var code: String? {
        switch origin {
        case .statement(let code): code
        case .connecting(let code): code
        case .library, .address, .lost, .passwordMissing: nil
        }
    }
}
