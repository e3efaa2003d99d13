package import SluiceControl
package import SluiceModel
package import SluiceStore
import SluiceSystem

/// The source of the console's data: a Sluice store, or another system in the same values.
///
/// A read may block its thread, and several threads may read at the same time. Each throws
/// `QueueError`.
package protocol SceneSource: Sendable {
    /// The kind in a word: `sqlite`, `celery`.
    var kind: String { get }
    /// Whether the source refuses all changes.
    var isReadOnly: Bool { get }
    /// Its identity, which does not change when it moves; `nil` if it has none.
    var identity: String? { get }
    /// Loads the screen's data at a moment. `aside` runs work on another thread where a parallel
    /// read is faster.
    func load(
        _ request: LoadRequest, at now: Timestamp, aside: @escaping SceneAside
    ) throws -> LoadedScene
    func collect(_ request: CollectRequest, at now: Timestamp) throws -> [TaskTarget]
    func count(_ request: CountRequest, at now: Timestamp) throws -> CountRequest
    /// The conditions of queues that hold; empty for sources without them.
    func alerts(at now: Timestamp) throws -> [QueueAlert]
    /// Notifies about changes by any program while the returned value exists.
    func observe(_ notify: @escaping @Sendable () -> Void) throws -> any StoreObservation
    /// Closes its connections after the current reads end.
    func close()
}

extension SceneSource {
    package func alerts(at now: Timestamp) throws -> [QueueAlert] { [] }
}

/// Does something on another thread.
package typealias SceneAside = @Sendable (@escaping @Sendable () -> Void) -> Void

/// The scenes of a store of this program's own.
package struct StoreScenes: SceneSource {
    private let store: any QueueStore
    private let machineNow: @Sendable () -> Int64

    /// The scenes of a store. Closing them closes the store. `machineNow` is this machine's clock
    /// in milliseconds, which dates the output of running commands.
    package init(_ store: any QueueStore, machineNow: @escaping @Sendable () -> Int64 = { 0 }) {
        (self.store, self.machineNow) = (store, machineNow)
    }

    package var kind: String { store.shownKind }
    /// Whether the store is open for reading only.
    package var isReadOnly: Bool { store.isReadOnly }

    /// The store's identity. `nil` if only its path identifies it, such as a folder opened for
    /// reading only.
    package var identity: String? {
        let found = try? store.readBlocking { try $0.storeRecord().identity }
        return found == store.name || found?.contains("/") == true ? nil : found
    }

    /// One read of the store; what died without leaving is not shown as attached (A2).
    package func load(
        _ request: LoadRequest, at now: Timestamp, aside: @escaping SceneAside
    ) throws -> LoadedScene {
        let signs = VitalSigns(of: store)
        let (workers, name) = (workers(aside), store.shortName)
        return try store.readBlocking {
            let reading = try Reading($0, now: now, signs: signs)
            return try SceneLoader(reading, of: name, hands: workers).load(request)
        }.withOutput(in: store.runFolder, machineNow: machineNow())
    }

    package func collect(_ request: CollectRequest, at now: Timestamp) throws -> [TaskTarget] {
        try store.readBlocking { try SceneLoader(Reading($0, now: now)).collect(request) }
    }

    package func count(_ request: CountRequest, at now: Timestamp) throws -> CountRequest {
        try store.readBlocking { try SceneLoader(Reading($0, now: now)).count(request) }
    }

    package func alerts(at now: Timestamp) throws -> [QueueAlert] {
        let signs = VitalSigns(of: store)
        return try store.readBlocking {
            try Reading($0, now: now, signs: signs).alerts(Set(QueueAlert.Kind.allCases))
        }
    }

    /// The store's own observation.
    package func observe(
        _ notify: @escaping @Sendable () -> Void
    ) throws -> any StoreObservation {
        try store.observe(at: ReadThrottle(store), notify)
    }

    package func close() { store.close() }

    /// A second thread looks through half of the payloads.
    private func workers(_ aside: @escaping SceneAside) -> SearchWorkers {
        let store = store
        return SearchWorkers { work in
            let promise = Promise<RowFinding>()
            aside { promise.resolve(Result { try store.readBlocking { try work($0) } }) }
            return { try promise.wait() }
        }
    }
}
