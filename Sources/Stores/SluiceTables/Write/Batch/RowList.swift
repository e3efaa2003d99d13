import SluiceModel

/// A row that waits to be written with others by one statement.
protocol BufferedRow {
    /// The statements for so many rows, most first, and last the one for a single row.
    static var statements: [(rows: Int, query: Query)] { get }

    /// Whether both differ in nothing but what `bindOwn` binds.
    func isAlike(_ other: Self) -> Bool
    /// Binds what alike rows have in common.
    func bindShared(to statement: any BoundStatement)
    /// Binds what each has of its own.
    func bindOwn(to statement: any BoundStatement)
}

/// From where on the rows of a list are meant.
enum RowListPlace {
    case begin
    /// Where the running body began.
    case mark
}

/// Rows that were kept back: those of the bodies before the running one, and its own.
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

    /// Writes rows, those that are alike by as many in one statement as there is one for.
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
