import SluiceModel

/// The record of a change in a journal, whose records are in the order of their numbers.
package struct ForeignRecord: Hashable, Sendable {
    /// The journal; the systems of one store may share it.
    package var journal: String
    package var number: Int64
}

extension ForeignSystem {
    /// By default the systems of a store share one journal, and an undo finds its last change.
    package func lastRecord(by person: String) throws -> ForeignRecord? {
        ForeignRecord(journal: "", number: 0)
    }
}

extension ForeignStore {
    /// The system with a person's last change; `nil` without one. Throws `notLegal` if the person's
    /// changes are in several journals, which do not say which change came last.
    package func lastChanged(by person: String) throws -> (any ForeignSystem)? {
        let able = systems.filter { $0.refusal(of: .undo) == nil }
        guard able.count > 1 else { return able.first ?? systems.first }
        let found = try able.compactMap { system in
            try system.lastRecord(by: person).map { (system: system, record: $0) }
        }
        guard Set(found.map(\.record.journal)).count < 2 else {
            let titles = found.map(\.system.title).joined(separator: " and ")
            let names = found.map { "--as \($0.system.name)" }.joined(separator: " or ")
            throw QueueError.notLegal(
                "\(person) has changed tasks of \(titles): nothing says which change came last",
                fix: "name the system: sluice undo \(names)")
        }
        return found.max { $0.record.number < $1.record.number }?.system
    }
}
