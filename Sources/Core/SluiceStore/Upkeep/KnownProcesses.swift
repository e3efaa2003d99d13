import SluiceModel
import SluiceSystem

/// The processes of a run folder whose liveness was queried.
final class KnownProcesses: @unchecked Sendable {
    private let folder: String
    private let lock = Lock()
    /// Guarded by the lock.
    private var signs: [ProcessID: ProcessSign] = [:]

    init(_ folder: String) { self.folder = folder }

    func goesOn(_ process: ProcessRecord) -> Bool {
        lock.withLock {
            guard let sign = sign(of: process) else { return false }
            guard sign.lives else {
                signs[process.id] = nil
                return false
            }
            return !sign.isHalted
        }
    }

    private func sign(of process: ProcessRecord) -> ProcessSign? {
        if let known = signs[process.id] { return known }
        // Drop dead processes: they are not queried again.
        signs = signs.filter { $0.value.lives }
        signs[process.id] = ProcessSign(
            lockPath: "\(folder)/\(process.lockName)",
            processID: Int32(truncatingIfNeeded: process.pid))
        return signs[process.id]
    }
}
