/// A part of the debugger. Its first use in a store ends attached programs of older versions that
/// would ignore it (P4). The user must confirm.
package enum DebuggerPart: CaseIterable, Sendable {
    case breakpoints, faults, clock, checkpoints, recording

    /// Throws, with their names, if this would end attached programs without the user's consent.
    package func refuseOlder(among attached: [ProcessRecord], isAgreed: Bool) throws(QueueError) {
        guard !isAgreed, let what = ends(attached) else { return }
        throw .notLegal(what, fix: "bring it up to date, or say --yes")
    }

    /// Which attached programs end with the first use, in a sentence; nil for none.
    package func ends(_ attached: [ProcessRecord]) -> String? {
        let older = attached.filter { !isKnown(to: $0) }
        guard !older.isEmpty else { return nil }
        let names = WordList.and(older.map { "\($0.role.word) \($0.id) (pid \($0.pid))" })
        return "\(names) of an older version would go past \(words), "
            + "and would end with the first one"
    }

    /// Whether the first use of one of them would end an attached program.
    package static func isEnded(_ process: ProcessRecord) -> Bool {
        allCases.contains { !$0.isKnown(to: process) }
    }

    private func isKnown(to process: ProcessRecord) -> Bool {
        switch self {
        case .breakpoints: process.stopsAtBreakpoints
        case .faults: process.takesFaults
        case .clock: process.readsClock
        case .checkpoints: process.keepsImages
        case .recording: process.isRecorded
        }
    }

    private var words: String {
        switch self {
        case .breakpoints: "breakpoints"
        case .faults: "faults"
        case .clock: "the clock of the store"
        case .checkpoints: "checkpoints"
        case .recording: "a recording"
        }
    }
}
