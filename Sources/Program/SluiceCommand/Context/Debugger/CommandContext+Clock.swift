import SluiceControl
import SluiceModel
import SluiceStore

/// `clock` (G3).
extension CommandContext {
    /// `clock` without a word.
    func clock() throws -> Reply {
        let (facts, names) = try read { reading in
            let facts = try reading.clock()
            return (facts, try reading.names(of: [facts.next?.task].compactMap { $0 }))
        }
        return Reply(
            .object(["clock": ClockJSON.value(facts)]), ClockLines.lines(facts, names: names))
    }
}
