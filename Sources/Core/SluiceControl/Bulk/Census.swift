import SluiceModel
import SluiceStore

/// The attached processes of one moment, apart from those that are gone although nobody has
/// cleared up behind them yet (A2).
struct Census {
    /// Those that live, or may live.
    private(set) var living: [ProcessRecord] = []
    /// Of these the ones of which nothing that can be seen says whether they live.
    private(set) var doubted: [ProcessRecord] = []
    /// Those that died.
    private(set) var gone: [ProcessRecord] = []

    init(_ store: any StoreReader, _ signs: VitalSigns) throws {
        for process in try store.processes() {
            switch signs.vitality(of: process) {
            case .dead: gone.append(process)
            case .unknown(.closedLock):
                doubted.append(process)
                living.append(process)
            case .alive, .unknown(.elsewhere): living.append(process)
            }
        }
    }
}
