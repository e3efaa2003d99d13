public import Sluice
import SluicePlatform
import SluicePostgresStore

extension QueueClient {
    /// Opens a store at a PostgreSQL server (`postgres://…`, as libpq reads it), made where there
    /// is none. It has the clock of the server, and its workers may stand on many machines.
    ///
    /// `schemaOwner` names the role that owns a schema `sluice` which is there already, where it is
    /// neither this role nor one that it is a member of. Throws `serverGone`, `denied`,
    /// `notAStore`, `newerSchema` (P4), `storeBusy` or `badValue`; no sentence holds a password.
    public static func open(
        postgres address: String, durability: Durability = .full,
        schemaOwner: String? = nil, person: String = "app", defaultQueue: String = "default"
    ) throws -> QueueClient {
        let store = try PostgresStore.open(
            address: address, createIfMissing: true, durability: durability,
            schemaOwner: schemaOwner)
        let clock = store.clock
        return QueueClient(
            store: store, person: person, defaultQueue: defaultQueue,
            now: { clock?.now ?? Timestamp(milliseconds: SystemClock.nowMilliseconds()) })
    }
}
