import SluiceModel
import Testing

@Suite("Stages of an attempt")
struct AttemptStageTests {
    private func attempt(_ log: [String], ended: Int64? = nil) -> AttemptRecord {
        let start = Timestamp(milliseconds: 1_000_000)
        let task = QueueTask(id: 7, queue: "q", type: "t", position: 1, createdAt: start)
        var attempt = AttemptRecord(task: task, number: 1, runner: 1, startedAt: start)
        attempt.log = log
        attempt.endedAt = ended.map { start + $0 }
        return attempt
    }

    @Test("A7 DBX-35 a stage is one line of the log and comes back from it")
    func line() throws {
        let stage = try #require(AttemptStage("encrypting \"a\"", afterMilliseconds: 1200))
        #expect(stage.line == #"{"stage":"encrypting \"a\"","after":1200}"#)
        #expect(AttemptStage(line: stage.line) == stage)
        #expect(stage.sentence == "encrypting \"a\" began after 1.2s")
        for line in ["", "stage", "{}", #"{"stage":7,"after":1}"#, #"{"stage":"a"}"#] {
            #expect(AttemptStage(line: line) == nil)
        }
    }

    @Test(
        "A7 K11 a name is visible and short",
        arguments: [
            ("", nil), (" \n", nil), ("a\nb", "a b"),
            (String(repeating: "x", count: 99), String(repeating: "x", count: 60)),
        ])
    func names(_ given: String, _ kept: String?) {
        #expect(AttemptStage(given, afterMilliseconds: -5)?.name == kept)
        #expect(AttemptStage("a", afterMilliseconds: -5)?.afterMilliseconds == 0)
    }

    @Test("A7 DBX-35 each stage lasts until the next one, the last one until the end")
    func times() throws {
        let lines = try [("reading", 0), ("encrypting", 200), ("sending", 1_700)].map {
            try #require(AttemptStage($0, afterMilliseconds: $1)).line
        }
        let log = [lines[0], "hello", lines[1], lines[2]]
        let ended = attempt(log, ended: 4_000)
        #expect(ended.stageTimes.map(\.milliseconds) == [200, 1_500, 2_300])
        #expect(ended.plainLog == ["hello"])
        #expect(ended.shownLog[2] == "encrypting began after 200 ms")
        var running = attempt(log)
        #expect(running.stageTimes.map(\.milliseconds) == [200, 1_500, nil])
        #expect(running.progressWords == "sending")
        running.progressText = "4 of 10"
        #expect(running.progressWords == "sending, 4 of 10")
        #expect(attempt([]).progressWords == nil && attempt([]).stageTimes == [])
    }
}
