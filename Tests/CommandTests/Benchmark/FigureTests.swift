import SluiceModel
import Testing

@testable import SluiceBenchmark

@Suite("The benchmark's figures")
struct FigureTests {
    private func figure(_ goal: Figure.Goal, _ pairs: [(Double, Double?)]) -> Figure {
        var figure = Figure(id: "W1", title: "t", unit: "u", goal: goal)
        figure.samples = pairs.map { Figure.Sample(value: $0.0, bare: $0.1) }
        return figure
    }

    @Test("a goal is of the ratio to the base, of the difference from it, or of the value")
    func goals() {
        #expect(figure(.atLeast(2), [(8, 4), (9, 4), (2, 4)]).isMet)
        #expect(!figure(.atLeast(2.1), [(8, 4), (9, 4), (2, 4)]).isMet)
        #expect(figure(.within(0.3), [(0.5, 0.25), (0.5, 0.1), (0.5, 0.3)]).isMet)
        #expect(!figure(.within(0.2), [(0.5, 0.25), (0.5, 0.1), (0.5, 0.3)]).isMet)
        #expect(figure(.atMost(0), [(0, nil)]).isMet && !figure(.atMost(0), [(1, nil)]).isMet)
        var value = figure(.atMost(30), [(25, 10)])
        value.goalIsOfValue = true
        #expect(value.isMet)
    }

    @Test("a run is compared with an earlier one by its titles, instructions are judged")
    func comparing() throws {
        var before = BenchReport(earlier: .null)
        _ = before.add(figure(.none, [(10, 5)]))
        var count = figure(.none, [(100, nil)])
        (count.title, count.isCount) = ("instructions", true)
        _ = before.add(count)
        var report = BenchReport(earlier: before.json)
        #expect(report.add(figure(.none, [(12, 5)])).hasSuffix("+20.0 % against the earlier run"))
        count.samples = [Figure.Sample(value: 101)]
        #expect(report.add(count).hasSuffix("+1.0 % against the earlier run"))
        #expect(report.regressions.isEmpty)
        count.samples = [Figure.Sample(value: 103)]
        #expect(report.add(count).hasSuffix("+3.0 % against the earlier run: REGRESSION"))
        #expect(report.regressions == ["instructions"])
    }

    @Test("a count that an earlier run has and this one lacks is a regression")
    func uncounted() {
        var count = figure(.none, [(100, nil)])
        (count.title, count.isCount) = ("instructions", true)
        var before = BenchReport(earlier: .null)
        _ = before.add(count)
        count.absence = "valgrind is not installed"
        var report = BenchReport(earlier: before.json)
        _ = report.add(count)
        #expect(report.regressions == ["instructions"])
    }

    @Test("the summary names the goals that were missed, and leaves out what was not measured")
    func summary() {
        var report = BenchReport(earlier: .null)
        _ = report.add(figure(.atLeast(2), [(8, 4)]))
        var missed = figure(.atLeast(2), [(4, 4)])
        missed.title = "slow"
        #expect(report.add(missed).contains("NO"))
        var absent = figure(.none, [])
        absent.absence = "not installed: apt-get install it"
        #expect(report.add(absent).hasSuffix("not installed: apt-get install it"))
        #expect(report.summary == "1 of 2 goals met; missed: W1 slow")
    }

    @Test("what was stolen is a share of what was wanted, beside each figure")
    func stolen() throws {
        let first = try StolenTime(firstLine: "cpu  100 0 50 900 10 0 0 20 0 0")
        let later = try StolenTime(firstLine: "cpu  130 0 60 950 90 0 0 80 0 0")
        #expect(later.share(since: first) == 0.6)
        #expect(first.share(since: first) == nil)
        #expect(throws: Workbench.Untrue.self) { try StolenTime(firstLine: "cpu  1 2") }
        var report = BenchReport(earlier: .null)
        var one = figure(.atLeast(2), [(8, 4)])
        one.stolen = 0.123
        #expect(report.add(one).hasSuffix("yes 12 %  "))
        #expect(report.json["figures"]?.array?[0]["stolen"]?.double == 0.123)
    }

    @Test("what callgrind says at its end is read")
    func instructions() {
        let text = "==7== Events    : Ir\n==7== Collected : 123456\n==7== \n"
        #expect(InstructionWork.collected(text) == 123_456)
        #expect(InstructionWork.collected("==7== nothing") == nil)
    }
}
