package import SluiceModel
package import SluiceStore

/// A writing body and its caller.
package protocol WriteJob: AnyObject, Sendable {
    /// The reads that the body performs first.
    var expected: ExpectedReads { get }
    /// Runs the body; returns false if it threw. `settles` is false if only the commit follows,
    /// because the commit reports failed changes too.
    func run(_ session: TableWriter, settles: Bool) -> Bool
    /// Delivers the body's result, or the failure that reverted it, to the caller.
    func finish(_ failure: QueueError?)
}

/// A body with its result; used first by the writer and then by the caller, never by both together.
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
