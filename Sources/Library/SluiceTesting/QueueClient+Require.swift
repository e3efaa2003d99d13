public import Sluice

/// An expectation that did not hold: expected and actual values, and the reasons.
public struct UnmetExpectation: Error, CustomStringConvertible {
    /// The answer to the expectation.
    public let answer: ExpectAnswer

    /// `expected state(#1) == succeeded, but it is failed`, with the tasks that are in the way.
    public var description: String { "\(answer)" }
}

extension QueueClient {
    /// Throws unless an expectation holds now (G7), such as `empty(mail)`,
    /// `state(#1) == succeeded and ran(type:charge) == 3` or `payload(#2).user == kim`. The error
    /// contains expected and actual values, and why the responsible tasks wait or failed. `expect`
    /// returns the same as a value.
    public func require(_ expectation: String) async throws {
        let answer = try await expect(expectation)
        guard answer.held else { throw UnmetExpectation(answer: answer) }
    }
}
