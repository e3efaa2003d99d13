import SluiceModel
import SluiceStore

/// The attached processes of one moment, apart those that are gone by their locks although nobody
/// has cleared up behind them yet (A2); asked once for each look.
final class Census {
    private let store: any StoreReader
    private let isGone: (ProcessRecord) -> Bool
    private var taken: (living: [ProcessRecord], gone: [ProcessRecord])?

    init(_ store: any StoreReader, isGone: @escaping (ProcessRecord) -> Bool) {
        self.store = store
        self.isGone = isGone
    }

    func living() throws -> [ProcessRecord] { try take().living }

    func gone() throws -> [ProcessRecord] { try take().gone }

    private func take() throws -> (living: [ProcessRecord], gone: [ProcessRecord]) {
        if let taken { return taken }
        var (living, gone): ([ProcessRecord], [ProcessRecord]) = ([], [])
        for process in try store.processes() {
            if isGone(process) { gone.append(process) } else { living.append(process) }
        }
        taken = (living, gone)
        return (living, gone)
    }
}
