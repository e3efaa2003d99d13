/// A failure of a server, or of its client library.
package struct MariaDBError: Error, Hashable, Sendable {
    /// The place where a failure begins.
    package enum Origin: Hashable, Sendable {
        /// libmariadb is missing.
        case library
        case address
        case connecting
        /// The connection ended: the last statement may have been done or not.
        case lost
        /// The server refused a statement.
        case statement
    }

    /// The place where it began.
    package var origin: Origin
    /// The server's number of the failure; 0 for none.
    package var number: UInt32
    /// The failure in one line and without secrets.
    package var message: String

    package init(_ origin: Origin, _ number: UInt32, _ message: String) {
        self.origin = origin
        self.number = number
        self.message = message.split(whereSeparator: \.isNewline).first.map(String.init) ?? message
    }
}
