import SluiceModel
import Testing

@testable import SluiceConsole
@testable import SluiceControl

/// The verbs that a console remembers (D9, K9).
@Suite("What was done here")
struct OwnVerbsTests {
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

    private func asks(_ own: inout OwnVerbs, _ takenBack: Answer.TakenBack) -> Bool {
        own.asks(before: takenBack)
    }

    private func finalReason(_ own: inout OwnVerbs) -> String? { own.takeFinalReason() }

    @Test("D9 an undo is about the verbs of this console that stand, a redo about its last undo")
    func order() {
        var own = OwnVerbs()
        #expect(own.undo == .undo(event: nil, newestOf: []) && own.redo == .redo)
        own.note(done(1))
        own.note(done(2))
        #expect(own.undo == .undo(event: nil, newestOf: [1, 2]))
        own.note(takingBack(2, as: 3))
        #expect(own.redo == .undo(event: 3))
        own.note(takingBack(1, as: 4))
        #expect(own.redo == .undo(event: 4))
        // A new verb ends what a redo could bring.
        own.note(done(5))
        #expect(own.redo == .redo && own.events.last == 5)
    }

    @Test("K9 what is not known to be of here is asked about, and once what follows a refused undo")
    func asked() {
        var own = OwnVerbs()
        own.note(done(1))
        #expect(asks(&own, takenBack(7, as: 8)))
        #expect(!asks(&own, takenBack(1, as: 8)))
        #expect(!asks(&own, takenBack(7, as: 8, isRedo: true)))
        own.noteRefused(own.undo, .changed)
        #expect(asks(&own, takenBack(1, as: 8)))
        #expect(!asks(&own, takenBack(1, as: 8)))
        own.noteRefused(own.undo, .serverGone)
        #expect(!asks(&own, takenBack(1, as: 8)))
        own.noteRefused(.pause(PauseRequest(.queue("mail"))), .changed)
        #expect(!asks(&own, takenBack(1, as: 8)))
    }

    @Test("K9 an undo that somebody else brought again gives way to the one before it")
    func refusedRedo() {
        var own = OwnVerbs()
        own.note(done(1))
        own.note(done(2))
        own.note(takingBack(2, as: 3))
        own.note(takingBack(1, as: 4))
        own.noteRefused(own.redo, .notLegal)
        #expect(own.redo == .undo(event: 3))
    }

    @Test("K9 what cannot be taken back is said once, and forgotten with the next verb")
    func final() {
        var own = OwnVerbs()
        own.note(done(1))
        own.noteFinal("purge cannot be taken back")
        #expect(finalReason(&own) == "purge cannot be taken back")
        #expect(finalReason(&own) == nil)
        own.noteFinal("purge cannot be taken back")
        own.note(done(2))
        #expect(finalReason(&own) == nil)
    }

    @Test("K9 the oldest verbs are forgotten")
    func bounded() {
        var own = OwnVerbs()
        for event in 1...1500 { own.note(event: Int64(event)) }
        #expect(own.events.count <= 1001 && own.events.last == 1500)
    }
}
