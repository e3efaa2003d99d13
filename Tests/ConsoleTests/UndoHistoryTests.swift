import SluiceModel
import Testing

@testable import SluiceConsole
@testable import SluiceControl

/// The verbs that a console remembers (D9, K9).
@Suite("What was done here")
struct UndoHistoryTests {
    private func done(_ event: Int64) -> Answer {
        var answer = Answer()
        answer.undo = event
        return answer
    }

    private func takenBack(
        _ event: Int64, as entry: Int64, isRedo: Bool = false
    ) -> Answer.TakenBack {
        Answer.TakenBack(event: event, by: "dana", text: "", entry: entry, isRedo: isRedo)
    }

    private func takingBack(_ event: Int64, as entry: Int64) -> Answer {
        var answer = done(entry)
        answer.takenBack = takenBack(event, as: entry)
        return answer
    }

    private func asks(_ own: inout UndoHistory, _ takenBack: Answer.TakenBack) -> Bool {
        own.asks(before: takenBack)
    }

    private func finalReason(_ own: inout UndoHistory) -> String? { own.consumeFinalReason() }

    @Test("D9 an undo is about the verbs of this console that stand, a redo about its last undo")
    func order() {
        var own = UndoHistory()
        #expect(own.undo == .undo(event: nil, newestOf: []) && own.redo == .redo)
        own.record(done(1))
        own.record(done(2))
        #expect(own.undo == .undo(event: nil, newestOf: [1, 2]))
        own.record(takingBack(2, as: 3))
        #expect(own.redo == .undo(event: 3))
        own.record(takingBack(1, as: 4))
        #expect(own.redo == .undo(event: 4))
        // A new verb ends what a redo could bring.
        own.record(done(5))
        #expect(own.redo == .redo && own.events.last == 5)
    }

    @Test("K9 what is not known to be of here is asked about, and once what follows a refused undo")
    func asked() {
        var own = UndoHistory()
        own.record(done(1))
        #expect(asks(&own, takenBack(7, as: 8)))
        #expect(!asks(&own, takenBack(1, as: 8)))
        #expect(!asks(&own, takenBack(7, as: 8, isRedo: true)))
        own.recordRefused(own.undo, .changed)
        #expect(asks(&own, takenBack(1, as: 8)))
        #expect(!asks(&own, takenBack(1, as: 8)))
        own.recordRefused(own.undo, .serverGone)
        #expect(!asks(&own, takenBack(1, as: 8)))
        own.recordRefused(.pause(PauseRequest(.queue("mail"))), .changed)
        #expect(!asks(&own, takenBack(1, as: 8)))
    }

    @Test("K9 an undo that somebody else brought again gives way to the one before it")
    func refusedRedo() {
        var own = UndoHistory()
        own.record(done(1))
        own.record(done(2))
        own.record(takingBack(2, as: 3))
        own.record(takingBack(1, as: 4))
        own.recordRefused(own.redo, .notLegal)
        #expect(own.redo == .undo(event: 3))
    }

    @Test("K9 what cannot be undone is said once, and forgotten with the next verb")
    func final() {
        var own = UndoHistory()
        own.record(done(1))
        own.recordFinal("purge cannot be undone")
        #expect(finalReason(&own) == "purge cannot be undone")
        #expect(finalReason(&own) == nil)
        own.recordFinal("purge cannot be undone")
        own.record(done(2))
        #expect(finalReason(&own) == nil)
    }

    @Test("K9 the oldest verbs are forgotten")
    func bounded() {
        var own = UndoHistory()
        for event in 1...1500 { own.record(event: Int64(event)) }
        #expect(own.events.count <= 1001 && own.events.last == 1500)
    }
}
