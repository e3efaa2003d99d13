public import Sluice
import SluiceSQL
import SluiceSystem

extension QueueClient {
    /// Opens a store on a PostgreSQL server (`postgres://…`, as libpq reads it), and creates it if
    /// missing. It uses the server's clock, and its workers may be on many machines.
    ///
    /// `schemaOwner` names the owner of an existing schema `sluice`, if that is another role and
    /// this role is not a member of it. Throws `serverGone`, `denied`, `notAStore`, `newerSchema`
    /// (P4), `storeBusy` or `badValue`. No message contains a password.
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
