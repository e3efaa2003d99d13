/// A server of a test that does not start or does not answer.
package struct ServerFailure: Error, CustomStringConvertible {
    package let description: String

    init(_ description: String) { self.description = description }
}
