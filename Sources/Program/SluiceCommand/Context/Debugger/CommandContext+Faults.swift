import SluiceControl
import SluiceModel
import SluiceStore

/// `fault` (G2).
extension CommandContext {
    /// `fault list`.
    func faults() throws -> Reply {
        let (faults, now) = try read { (try $0.faults(), $0.real) }
        return Reply(
            .object(FaultJSON.object(faults)),
            FaultText.lines(faults, now: now, width: host.columns()))
    }
}
