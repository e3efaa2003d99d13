import SluiceModel
import SluiceStore

/// The attached processes at one moment. It separates dead processes that await cleanup.
struct Census {
    /// Processes that live, or may live.
    private(set) var living: [ProcessRecord] = []
    /// Processes of `living` without any sign of life or death.
    private(set) var doubted: [ProcessRecord] = []
    /// Processes that died.
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
