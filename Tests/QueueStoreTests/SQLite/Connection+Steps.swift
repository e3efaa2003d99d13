import SluiceCSQLite

@testable import SluiceSQL

extension Connection {
    /// The steps that SQLite made for all statements since the last call. They do not vary with the
    /// load of the machine, and hardly with the compiler.
    func takeSteps() -> Int {
        var steps = 0
        var statement = sqlite3_next_stmt(database, nil)
        while let known = statement {
            steps += Int(sqlite3_stmt_status(known, SQLITE_STMTSTATUS_VM_STEP, 1))
            statement = sqlite3_next_stmt(database, known)
        }
        return steps
    }
}
