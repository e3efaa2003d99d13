package import SluiceModel

/// A prepared statement of one connection. Bind its values in order, then step through the rows.
/// Each user must reset it before the next use.
package protocol BoundStatement: AnyObject {
    /// Steps to the next row; false without one.
    func next() throws(QueueError) -> Bool
    /// Runs a statement that gives no rows, and resets it.
    func run() throws(QueueError)
    /// Binds large bytes and runs the statement.
    func run(bindingLast bytes: [UInt8]) throws(QueueError)
    /// Makes the statement ready for other values.
    func reset()

    func bind(_ number: Int64)
    func bind(_ number: Double?)
    func bind(_ text: String)
    func bind(_ bytes: [UInt8])
    /// A sort key as its column holds it.
    func bind(_ key: SortKey?)
    func bindNull()

    func isNull(_ column: Int32) -> Bool
    func isText(_ column: Int32) -> Bool
    func isInteger(_ column: Int32) -> Bool
    func integer(_ column: Int32) -> Int64
    func optionalDouble(_ column: Int32) -> Double?
    func text(_ column: Int32) -> String
    func bytes(_ column: Int32) -> [UInt8]
    /// Whether the bytes of a column hold others.
    func holds(_ wanted: [UInt8], in column: Int32) -> Bool
    /// The first column of all remaining rows.
    func integers() throws(QueueError) -> [Int64]
    func sortKey(_ column: Int32) throws(QueueError) -> SortKey?
}

extension BoundStatement {
    package func bind(_ number: Int64?) {
        if let number { bind(number) } else { bindNull() }
    }

    package func bind(_ number: Int) { bind(Int64(number)) }

    package func bind(_ number: Int?) { bind(number.map(Int64.init)) }

    package func bind(_ flag: Bool) { bind(flag ? 1 : 0 as Int64) }

    package func bind(_ moment: Timestamp) { bind(moment.milliseconds) }

    package func bind(_ moment: Timestamp?) { bind(moment?.milliseconds) }

    package func bind(_ text: String?) {
        if let text { bind(text) } else { bindNull() }
    }

    package func bind(_ bytes: [UInt8]?) {
        if let bytes { bind(bytes) } else { bindNull() }
    }
}

extension BoundStatement {
    package func holds(_ wanted: [UInt8], in column: Int32) -> Bool { bytes(column).holds(wanted) }

    package func integers() throws(QueueError) -> [Int64] {
        var found: [Int64] = []
        while try next() { found.append(integer(0)) }
        return found
    }

    package func int(_ column: Int32) -> Int { Int(integer(column)) }

    package func optionalInteger(_ column: Int32) -> Int64? {
        isNull(column) ? nil : integer(column)
    }

    package func moment(_ column: Int32) -> Timestamp { Timestamp(milliseconds: integer(column)) }

    package func optionalMoment(_ column: Int32) -> Timestamp? {
        isNull(column) ? nil : moment(column)
    }

    package func optionalText(_ column: Int32) -> String? { isNull(column) ? nil : text(column) }

    package func optionalBytes(_ column: Int32) -> [UInt8]? {
        isNull(column) ? nil : bytes(column)
    }
}
