import SluiceModel
import SluiceTables

/// SQLite's own checks of a file (P3).
extension Connection {
    private enum Check {
        static let whole = Query("PRAGMA integrity_check(20)")
        static let quick = Query("PRAGMA quick_check(20)")
    }

    func integrityProblems(isQuick: Bool) throws(QueueError) -> [String] {
        let row = try prepare(isQuick ? Check.quick : Check.whole)
        defer { row.reset() }
        var problems: [String] = []
        while try row.next() { problems.append(row.text(0)) }
        return problems == ["ok"] ? [] : problems
    }

    func problems(in tables: [String]) throws(QueueError) -> [String] {
        for table in tables {
            let found = try rows(once: "PRAGMA integrity_check(\(table))") { $0.text(0) }
            if found != ["ok"] { return found }
        }
        return []
    }
}
