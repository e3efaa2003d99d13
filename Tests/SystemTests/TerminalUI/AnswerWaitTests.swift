import SluiceTerminalUI
import Testing

@Suite("The wait for answers of a terminal")
struct AnswerWaitTests {
    @Test("an answer of a slow link is waited for, although the program ends early")
    func slowLink() {
        let wait = AnswerWait(asked: 1_000, now: 1_050, hasAnswered: false)
        #expect(wait.left(now: 1_050, isUnderWay: false) == 950)
        #expect(wait.left(now: 1_900, isUnderWay: false) == 100)
        #expect(wait.left(now: 2_000, isUnderWay: false) == 0)
    }

    @Test("a terminal that answered another question is not waited for longer")
    func known() {
        let wait = AnswerWait(asked: 1_000, now: 1_050, hasAnswered: true)
        #expect(wait.left(now: 1_050, isUnderWay: false) == 100)
        #expect(wait.left(now: 1_150, isUnderWay: false) == 0)
    }

    @Test("a terminal that never answers delays a late end by a tenth of a second")
    func mute() {
        let wait = AnswerWait(asked: 1_000, now: 5_000, hasAnswered: false)
        #expect(wait.left(now: 5_000, isUnderWay: false) == 100)
        #expect(wait.left(now: 5_101, isUnderWay: false) == 0)
    }

    @Test("the rest of an answer that has begun has four seconds", arguments: [true, false])
    func rest(hasAnswered: Bool) {
        let wait = AnswerWait(asked: 1_000, now: 2_000, hasAnswered: hasAnswered)
        #expect(wait.left(now: 2_100, isUnderWay: true) == 3_900)
        #expect(wait.left(now: 6_000, isUnderWay: true) == 0)
    }
}
