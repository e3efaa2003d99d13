import SluiceModel

/// A row buffered to be written with others in one statement.
protocol BufferedRow {
    /// The statements by number of rows, largest first, ending with the statement for one row.
    static var statements: [(rows: Int, query: Query)] { get }

    /// Whether both differ in nothing but what `bindOwn` binds.
    func isAlike(_ other: Self) -> Bool
    /// Binds what alike rows have in common.
    func bindShared(to statement: any BoundStatement)
    /// Binds the individual values.
    func bindOwn(to statement: any BoundStatement)
}

/// The start of a range in a row list.
enum RowListPlace {
    case begin
    /// The start of the running body's rows.
    case mark
}

/// Buffered rows of earlier bodies and of the running one.
struct RowList<Row: BufferedRow> {
    private var rows: [Row] = []
    /// How many of them the bodies before the running one brought.
    private var marked = 0

    var count: Int { rows.count }

    mutating func append(_ row: Row) { rows.append(row) }

    /// Another body begins.
    mutating func mark() { marked = rows.count }

    mutating func forget(from place: RowListPlace) {
        if rows.isEmpty { return }
        switch place {
        case .begin:
            rows.removeAll(keepingCapacity: true)
            marked = 0
        case .mark:
            rows.removeSubrange(marked...)
        }
    }

    /// Writes what the bodies before brought, which is then forgotten, or everything.
    mutating func write(
        earlier: Bool, _ connection: any TableConnection
    ) throws(QueueError) {
        guard earlier else { return try Self.write(rows[...], connection) }
        if marked == 0 { return }
        try Self.write(rows[..<marked], connection)
        rows.removeFirst(marked)
        marked = 0
    }

    /// Writes rows; similar ones share the largest fitting statement.
    static func write(
        _ rows: ArraySlice<Row>, _ connection: any TableConnection
    ) throws(QueueError) {
        var start = rows.startIndex
        while start < rows.endIndex {
            var end = start + 1
            while end < rows.endIndex, rows[start].isAlike(rows[end]) { end += 1 }
            for (count, query) in Row.statements {
                while end - start >= count {
                    let statement = try connection.prepare(query)
                    rows[start].bindShared(to: statement)
                    for index in start..<start + count { rows[index].bindOwn(to: statement) }
                    try statement.run()
                    start += count
                }
            }
        }
    }
}
