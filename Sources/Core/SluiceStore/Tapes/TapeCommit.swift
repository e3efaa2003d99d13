package import SluiceModel

/// The changes of one commit, in order (G6).
package struct TapeCommit: Hashable, Sendable {
    /// The time of the commit; `nil` if the writer gave none.
    package var at: Timestamp?
    package var changes: [TapeChange] = []
    /// The questions put to the rules, with the results.
    package var decisions: [TapeDecision] = []

    /// One that did nothing yet.
    package init(at: Timestamp? = nil) { self.at = at }

    /// Whether it did nothing.
    package var isEmpty: Bool { changes.isEmpty && decisions.isEmpty }
}

/// One change of a store, with the full new value.
package enum TapeChange: Hashable, Sendable {
    /// A task came, with its payload.
    case inserted(NewTask)
    case updated(QueueTask)
    case removed([TaskID])
    /// An execution was written, with the number of its end if it has one.
    case attempt(AttemptRecord)
    /// A line of the journal with its number; what `undo` and `log --script` need is not in it.
    case event(JournalEvent)
    /// Anything else.
    case other(StoreChange)
}

/// A question put to the rules in a commit, and the changes that followed.
package struct TapeDecision: Hashable, Sendable {
    /// A question that decides what becomes of tasks.
    package enum Question: Hashable, Sendable {
        /// A runner's claim and the tasks it got, in order.
        case claim(ClaimRequest, gave: [TaskID])
        /// Executions ended so.
        case settle([Completion])
    }
    package var question: Question
    /// The places of the changes that followed.
    package var span: Range<Int>

    package init(_ question: Question, span: Range<Int>) {
        (self.question, self.span) = (question, span)
    }
}

/// The notes of a body for a recording, while one is active.
package final class TapeNotes {
    package private(set) var commit = TapeCommit()

    package init() {}

    /// The next commit begins.
    package func clear() { commit = TapeCommit() }

    /// Names the moment of the commit.
    package func mark(_ moment: Timestamp) { commit.at = moment }

    package func record(inserted tasks: [NewTask]) {
        commit.changes += tasks.map(TapeChange.inserted)
    }

    package func record(updated tasks: [QueueTask]) {
        commit.changes += tasks.map(TapeChange.updated)
    }

    package func record(removed ids: [TaskID]) {
        if !ids.isEmpty { commit.changes.append(.removed(ids)) }
    }

    package func record(_ attempt: AttemptRecord) {
        commit.changes.append(.attempt(attempt))
    }

    package func record(_ event: JournalEvent) {
        var event = event
        (event.undo, event.script) = (nil, nil)
        commit.changes.append(.event(event))
    }

    package func record(_ change: StoreChange) {
        // Omit short-lived values and the recording's own changes.
        switch change {
        case .offer, .removedOffer, .movedRecords, .images, .removedImages, .step:
            break
        case .store(var record):
            record.recording = nil
            record.checkpoints = Checkpoints()
            record.schedules = Schedules()
            record.journalBytes = StoreRecord.usualJournalBytes
            commit.changes.append(.other(.store(record)))
        default: commit.changes.append(.other(change))
        }
    }

    /// Notes a question put to the rules; `first` is the number of changes before it.
    package func record(_ question: TapeDecision.Question, since first: Int) {
        let count = commit.changes.count
        commit.decisions.append(TapeDecision(question, span: min(first, count)..<count))
    }
}
