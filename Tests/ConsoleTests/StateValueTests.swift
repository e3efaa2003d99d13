import SluiceControl
import SluiceModel
import SluiceStore
import SluiceTerminalUI
import Testing

@testable import SluiceConsole

@Suite("Values of the console's state")
struct StateValueTests {
    private func moment(_ milliseconds: Int64) -> Timestamp {
        Timestamp(milliseconds: milliseconds)
    }

    @Test("K1 one read at a time: what is wanted meanwhile is the next one")
    func oneRead() {
        var reads = SceneReads(after: 7)
        #expect(reads.begin() == 8)
        #expect(reads.begin() == nil)
        reads.isStale = true
        #expect(reads.begin() == nil)
        let isNewest = reads.end(8)
        #expect(isNewest)
        #expect(reads.begin() == 9)
    }

    @Test("K5 another system's queue runs only with a task in hand, and a bound of 0 is no failure")
    func foreignQueue() throws {
        let store = MemoryStore(name: "mirror")
        try store.writeBlocking { writer in
            try writer.put(QueueRecord(name: "mail", createdAt: Timestamp(milliseconds: 0)))
            let task = QueueTask(
                id: 1, queue: "mail", type: "t", position: 1,
                createdAt: Timestamp(milliseconds: 0))
            try writer.insert([NewTask(task: task, payload: [])])
        }
        var overview = try #require(
            try store.readBlocking { try Reading($0, now: Timestamp(milliseconds: 5)).queues() }
                .first)
        overview.lack = nil
        func word(running: Int, _ estimated: Set<QueueTally.Estimate> = []) -> String {
            overview.counts.states[.running] = running
            return QueueLook(QueueLine(overview, system: "rq", estimated: estimated)).word
        }
        #expect(word(running: 0) == "waiting" && word(running: 1) == "running")
        #expect(word(running: 1, [.running]) == "waiting")
        var tally = QueueTally()
        tally.bounded = [.failed]
        #expect(Painter.failCell(tally, .unicode).text.isEmpty)
        tally.failed = 2
        #expect(Painter.failCell(tally, .unicode).text.hasSuffix("2+"))
    }

    @Test("K1 an abandoned read that comes late ends no other read")
    func lateRead() {
        var reads = SceneReads(after: 7)
        #expect(reads.begin() == 8)
        let isNewest = reads.end(5)
        #expect(!isNewest)
        reads.fail(QueueError(.serverGone, "gone"), of: 5, at: moment(1000))
        #expect(reads.trouble == nil)
        reads.isStale = true
        #expect(reads.begin() == nil)
        let isUnderWay = reads.end(8)
        #expect(isUnderWay)
        #expect(reads.begin() == 9)
    }

    @Test("K8 trouble lasts from the first read that failed until one comes")
    func trouble() {
        let error = QueueError(.storeBusy, "busy")
        var reads = SceneReads()
        #expect(reads.begin() == 1)
        reads.fail(error, of: 1, at: moment(1000))
        reads.fail(QueueError(.serverGone, "gone"), of: nil, at: moment(5000))
        #expect(reads.trouble?.error.code == .serverGone)
        #expect(reads.trouble?.since == moment(1000))
        reads.fail(nil, of: nil, at: moment(6000))
        #expect(reads.trouble == nil)
        reads.fail(error, of: nil, at: moment(7000))
        #expect(reads.trouble?.since == moment(7000))
        reads.isStale = true
        #expect(reads.begin() == 2)
        let isNewest = reads.end(2)
        #expect(isNewest && reads.trouble == nil)
    }

    @Test("K1 the answer of a token finds what was sent once, and no other")
    func tokens() {
        var underWay = VerbsUnderWay(after: 3)
        let token = underWay.send("resume a", verb: .resume(.queue("a")))
        #expect(token == 4)
        #expect(underWay.awaitsAnswer)
        #expect(underWay.end(3) == nil)
        #expect(underWay.end(token)?.command == "resume a")
        #expect(underWay.end(token) == nil)
        #expect(underWay.isEmpty)
        #expect(underWay.send("resume b") == 5)
    }

    @Test("D10 a bulk is asked to stop once, and is told on a line of its own")
    func bulk() {
        var underWay = VerbsUnderWay()
        let progress = BulkProgress(done: 10, total: 100)
        #expect(underWay.stopBulk() == nil)
        let token = underWay.send("delete --filter type:a")
        #expect(underWay.bulk == nil)
        #expect(underWay.record(progress, secondsLeft: 3, of: token) == "delete --filter type:a")
        #expect(underWay.record(progress, secondsLeft: 3, of: token + 1) == nil)
        #expect(!underWay.awaitsAnswer)
        #expect(underWay.stopBulk() == token)
        #expect(underWay.stopBulk() == nil)
        _ = underWay.record(BulkProgress(done: 20, total: 100), secondsLeft: 2, of: token)
        #expect(underWay.bulk?.course?.isStopping == true)
        #expect(underWay.bulk?.course?.progress.done == 20)
    }

    @Test("D2 a step has run for the one before it ended")
    func steps() {
        var underWay = VerbsUnderWay()
        let first = underWay.send("step a", steppedSince: moment(1000))
        let second = underWay.send("step a", steppedSince: moment(1200))
        #expect(underWay.steppingSince == moment(1000))
        #expect(underWay.endStep(first, executed: false, at: moment(4000)) != nil)
        #expect(underWay.steppingSince == moment(4000))
        #expect(underWay.firstStepToken == nil)
        #expect(underWay.endStep(second, executed: true, at: moment(5000)) != nil)
        #expect(underWay.firstStepToken == second)
        #expect(underWay.steppingSince == nil)
        #expect(underWay.endStep(second, executed: true, at: moment(5000)) == nil)
    }

    @Test("K9 an undo waits for the one on its way, and those that wait come in their order")
    func heldTakeBacks() {
        var underWay = VerbsUnderWay()
        let undo = Verb.undo(event: nil)
        let isHeld = { (id: Action.ID) in underWay.hold(id) }
        let next = { (verb: Verb) in underWay.nextHeld(after: verb) }
        #expect(!isHeld(.undo))
        let token = underWay.send("undo", verb: undo)
        #expect(isHeld(.undo) && isHeld(.redo))
        _ = underWay.end(token)
        #expect(next(.resume(.queue("a"))) == nil)
        #expect([next(undo), next(undo), next(undo)] == [.undo, .redo, nil])
        _ = underWay.send("undo", verb: undo)
        #expect(isHeld(.undo))
        underWay.dropHeld()
        #expect(next(undo) == nil)
    }

    @Test("K2 the cursor of queues goes to a place once it is read, and follows its queue")
    func queueCursor() {
        var cursor = QueueCursor()
        cursor.window.resize(height: 5)
        cursor.window.update(total: 100)
        var goal = cursor.window
        goal.move(to: 50)
        cursor.go(to: goal)
        #expect(cursor.window.cursor == 0)
        #expect(cursor.wanted.cursor == 50)
        cursor.arrive(at: 51)
        #expect(cursor.goal == nil)
        #expect(cursor.window.cursor == 50)
        cursor.follow(51)
        #expect(cursor.window.cursor == 50)
        cursor.follow(60)
        #expect(cursor.window.cursor == 60)
        cursor.go(to: goal)
        cursor.select(nil)
        #expect(cursor.goal == nil)
        #expect(cursor.place == nil)
        #expect(cursor.window.cursor == 60)
    }

    @Test("the pane of queues never becomes narrower")
    func width() {
        var cursor = QueueCursor()
        cursor.record(nameColumns: 20)
        cursor.record(nameColumns: 8)
        #expect(cursor.longestName == 20)
    }

    @Test(
        "D8 D10 marks keep the version that was shown, and what found them for as long as it holds")
    func marks() {
        let request = CollectRequest(queue: "q", filter: nil)
        var marks = MarkedTasks()
        marks.add([TaskTarget(7, version: 3), TaskTarget(2, version: 1)], of: request)
        #expect(marks.targets == [TaskTarget(2, version: 1), TaskTarget(7, version: 3)])
        #expect(marks.request == request)
        let task = QueueTask(id: 7, queue: "q", type: "t", position: 1, createdAt: moment(0))
        marks.toggle(task)
        #expect(!marks.contains(7) && marks.count == 1 && marks.request == nil)
        // The filter no longer describes all marks.
        marks.add([TaskTarget(9, version: 2)], of: request)
        #expect(marks.count == 2 && marks.request == nil)
        marks.clear()
        #expect(marks.isEmpty)
    }

    @Test(
        "D10 what a bulk left stays marked as the answer saw it, unless others are marked by then")
    func keptMarks() {
        var answer = Answer()
        let error = QueueError(.changed, "changed")
        answer.stop = Answer.Stop(left: [TaskTarget(5, version: 4)])
        answer.failed = [
            Answer.Failure(id: 6, error: error, version: 9),
            Answer.Failure(id: 8, error: error, version: nil),
        ]
        var marks = MarkedTasks()
        marks.keep(answer)
        // A removed task has no version, so nothing marks it.
        #expect(marks.versions == [5: 4, 6: 9])
        var others = MarkedTasks()
        others.add([TaskTarget(1, version: 1)], of: CollectRequest(queue: nil, filter: nil))
        others.keep(answer)
        #expect(others.versions == [1: 1])
    }
}
