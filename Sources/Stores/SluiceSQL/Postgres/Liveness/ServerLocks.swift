/// The names of locks and channels in a database.
enum ServerLocks {
    /// The schema of a store's tables, and the channel of its notices.
    static let schema = "sluice"
    /// The lock of writers: the first of two numbers of an advisory lock; the second identifies the
    /// schema.
    static let writers: Int32 = 0x736C_6301
    /// The lock for creating or changing the tables.
    static let migration: Int32 = 0x736C_6302

    /// Waits for a lock, to the end of the transaction.
    static func take(_ lock: Int32, _ schema: String) -> String {
        "pg_catalog.pg_advisory_xact_lock(\(lock), pg_catalog.hashtext('\(schema)'))"
    }
}
