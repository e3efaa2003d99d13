import SluiceTestSupport
import Testing

/// The judge of many machines must detect errors, or its approval means nothing.
@Suite("many machines: the judge")
struct JudgeTests {
    @Test("A2 an execution that begins before the last sign of another one is found")
    func overlap() {
        let ada = ["start 1 1 10 100", "beat 1 1 10 150", "beat 1 1 10 200"]
        func judge(_ begin: Int) -> Judge {
            Judge([
                "ada": ada.joined(separator: "\n"),
                "ben": "start 1 2 20 \(begin)\nend 1 2 20 \(begin + 10)",
            ])
        }
        #expect(judge(201).overlaps == [] && judge(201).shortestMove == 1)
        #expect(judge(200).overlaps.count == 1)
        #expect(judge(150).overlaps.count == 1)
        let lives = judge(300).lives
        #expect(lives.map(\.machine) == ["ada", "ben"] && lives.map(\.last) == [200, 310])
        #expect(lives.map(\.ending) == [nil, "end"])
    }

    @Test("a sign after the begin of another execution is found, however long it comes later")
    func late() {
        let judge = Judge([
            "ada": "start 1 1 10 100\nbeat 1 1 10 900", "ben": "start 1 2 20 500\nend 1 2 20 510",
            "cleo": "start 1 3 30 600\nend 1 3 30 610",
        ])
        #expect(judge.overlaps.count == 2)
        #expect(judge.testimony.lines.map(\.nanoseconds) == [100, 500, 510, 600, 610, 900])
    }

    @Test("a strict order that two machines break together is found")
    func order() {
        let judge = Judge([
            "ada": "start 1 1 10 100\nend 1 1 10 200", "ben": "start 2 1 20 150\nend 2 1 20 300",
        ])
        #expect(judge.testimony.strictBreaches(of: [1, 2]).count == 1)
        #expect(judge.testimony.strictBreaches(of: [2, 1]).count == 2)
    }
}
