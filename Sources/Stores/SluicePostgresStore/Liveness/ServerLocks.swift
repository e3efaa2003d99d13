/// The names by which processes meet in a database.
enum ServerLocks {
    /// The schema of a store's tables, and the channel on which a commit is told.
    static let schema = "sluice"
    /// Whoever writes holds this one: the first of two numbers of an advisory lock, the second of
    /// which stands for the schema.
    static let writers: Int32 = 0x736C_6301
    /// Whoever makes or changes the tables holds this one.
    static let migration: Int32 = 0x736C_6302

    /// Waits for a lock, to the end of the transaction.
    static func take(_ lock: Int32, _ schema: String) -> String {
        "pg_catalog.pg_advisory_xact_lock(\(lock), pg_catalog.hashtext('\(schema)'))"
    }
}
