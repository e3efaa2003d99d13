package import SluiceModel
import SluiceSystem

/// One step of a store's tables from a version to the next (P4).
package struct Migration: Sendable {
    /// The statements that upgrade the tables from the previous version.
    package let statements: [String]
    /// Whether programs of the previous version can still use these tables. The step adds only
    /// optional things, such as a column with a default that their statements do not name.
    package let isCompatible: Bool
    /// Whether failed tasks are counted by their errors after it, which SQL cannot tell apart.
    package let lacksFailures: Bool

    /// A step; by default older programs are refused after it.
    package init(
        _ statements: [String], isCompatible: Bool = false, lacksFailures: Bool = false
    ) {
        self.statements = statements
        self.isCompatible = isCompatible
        self.lacksFailures = lacksFailures
    }
}

/// The versions of a store's tables, from the first to the one that this program writes (P4).
///
/// Tables say two numbers of themselves: their version, and the oldest one whose programs can work
/// with them. So two versions can work side by side while machines are brought up to date one by
/// one.
package struct TableHistory: Sendable {
    /// The number in `sluice_number` that grows with every change of queues.
    package static let configurationName = "scenery"

    /// The number that the one before had when a queue was removed last; a server's alone.
    package static let removalName = "removed"
    /// The number that it had when a program changed queues last that says so in their rows; a
    /// server's alone.
    package static let notedName = "noted"

    /// The first versions whose programs stop at breakpoints.
    package static let stopping = (file: 18, server: 12)
    /// The first versions whose programs inject faults.
    package static let injecting = (file: 19, server: 13)
    /// The first versions whose programs use the store's clock.
    package static let clocked = (file: 22, server: 16)
    /// The first versions whose programs keep images for checkpoints.
    package static let keeping = (file: 23, server: 17)
    /// The first versions whose programs leave their changes for a recording.
    package static let recording = (file: 25, server: 19)

    /// The first versions whose programs observe a queue's rate and settings of types. No release
    /// observes one of them alone.
    package static let pacing = (file: 30, server: 25)

    /// The steps to version 1, 2 and so on; steps of released versions never change.
    package let migrations: [Migration]

    package init(_ migrations: [Migration]) { self.migrations = migrations }

    /// The version that this program writes.
    package var version: Int { migrations.count }

    /// The oldest version whose programs can use the rows of this one.
    package var oldest: Int {
        (migrations.lastIndex { !$0.isCompatible } ?? 0) + 1
    }

    /// The statements that bring tables of a version to the last one.
    package func statements(from version: Int) -> [String] {
        migrations[version...].flatMap(\.statements)
    }

    /// Whether failed tasks must be counted by their errors once tables of a version are brought to
    /// the last one.
    package func lacksFailures(at version: Int) -> Bool {
        version > 0 && migrations.dropFirst(version).contains(where: \.lacksFailures)
    }

    /// Whether tables of a version can be worked with, newer ones among them that say so.
    package func works(with version: Int, oldest: Int) -> Bool {
        version <= self.version || oldest <= self.version
    }

    /// The same with more steps, as a program of tomorrow has them, where tests say so: in
    /// `SLUICE_TEST_MIGRATION` each `+` is a compatible one and each `-` another. `statement` gives
    /// what the step of a number does.
    package func rehearsed(_ statement: (Int) -> String) -> TableHistory {
        let steps = ProcessIdentity.environment("SLUICE_TEST_MIGRATION") ?? ""
        return TableHistory(
            migrations
                + steps.enumerated().map { number, step in
                    Migration([statement(number)], isCompatible: step == "+")
                })
    }
}

extension QueueError {
    /// Tables of an older version, which this program reads only after it has changed them.
    package static func olderTables(
        _ name: String, version: Int, needed: Int, copy: String? = nil
    ) -> QueueError {
        let way = copy.map { ", or \($0)" } ?? ""
        return QueueError(
            .readOnly,
            "\(name) was made by an older Sluice: its tables have version \(version), this program "
                + "reads version \(needed), and it is opened without changes here",
            fix: "sluice queues --store \(ShellWord.quoted(name)) changes its tables\(way)")
    }
}
