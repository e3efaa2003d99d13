package import SluiceModel
package import SluiceStore

/// A body that writes, and whoever waits for it.
package protocol WriteJob: AnyObject, Sendable {
    /// What the body reads first.
    var expected: ExpectedReads { get }
    /// Runs the body; false when it threw. `settles` is false where nothing but the commit follows,
    /// which tells of a change that was not made as well.
    func run(_ session: TableWriter, settles: Bool) -> Bool
    /// Tells whoever waits: what the body gave, or the failure that undid it.
    func finish(_ failure: QueueError?)
}

/// A body with its value; used by the writer and then by whoever waits, never by both.
package final class BodyJob<Value: Sendable>: WriteJob, @unchecked Sendable {
    private let body: @Sendable (any StoreWriter) throws -> Value
    private let tell: @Sendable (Result<Value, any Error>) -> Void
    private var result: Result<Value, any Error>?

    package let expected: ExpectedReads

    package init(
        _ body: @escaping @Sendable (any StoreWriter) throws -> Value,
        expecting expected: ExpectedReads = ExpectedReads(),
        tell: @escaping @Sendable (Result<Value, any Error>) -> Void
    ) {
        self.expected = expected
        self.body = body
        self.tell = tell
    }

    package func run(_ session: TableWriter, settles: Bool) -> Bool {
        do {
            let value = try body(session)
            if let failure = session.connection.changeFailure { throw failure }
            try session.finish()
            if settles { try session.connection.settle() }
            result = .success(value)
            return true
        } catch {
            result = .failure(error)
            return false
        }
    }

    package func finish(_ failure: QueueError?) {
        switch (result, failure) {
        case (.failure(let own), _): tell(.failure(own))
        case (_, let failure?): tell(.failure(failure))
        case (let result?, nil): tell(result)
        case (nil, nil): break
        }
    }
}
