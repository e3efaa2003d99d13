import SluiceControl
import SluiceModel
import Testing

@testable import SluiceCommand

@Suite("Words of other systems")
struct ForeignWordsTests {
    @Test("D3 an error of another system's worker is told as it is, whatever numbers it has")
    func error() {
        let task = QueueTask(
            id: 1, queue: "q", type: "t", position: 1, createdAt: Timestamp(milliseconds: 0))
        var attempt = AttemptRecord(
            task: task, number: 1, runner: 0, startedAt: Timestamp(milliseconds: 0))
        attempt.endedAt = Timestamp(milliseconds: 5)
        attempt.outcome = .giveUp
        attempt.error = "row #1 of #2 is bad"
        let names = TaskNames(foreign: [1: "job-one", 2: "job-two"], isWhole: true)
        let line = StepText.line(Stepped(attempt), names: names)
        #expect(line == "job-one t  gave up after 5 ms: row #1 of #2 is bad")
    }

    @Test("D3 an execution of which nothing is kept is told so, and is not known to have failed")
    func remark() {
        let task = QueueTask(
            id: 1, queue: "q", type: "t", position: 1, createdAt: Timestamp(milliseconds: 0))
        var stepped = Stepped(
            AttemptRecord(task: task, number: 1, runner: 0, startedAt: Timestamp(milliseconds: 0)))
        stepped.remark = "it has ended; nothing here says how"
        let names = TaskNames(foreign: [1: "job-one"], isWhole: true)
        #expect(
            StepText.line(stepped, names: names)
                == "job-one t  it has ended; nothing here says how")
        var answer = StepAnswer()
        answer.stepped = [stepped]
        #expect(StepText.exit(answer, isChecked: true) == .done)
    }
}
