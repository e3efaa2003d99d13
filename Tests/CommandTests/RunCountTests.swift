import SluiceModel
import SluiceSystem
import Testing

@testable import SluiceCommand

@Suite("The count of a run")
struct RunCountTests {
    @Test("D4 a run that is joined is told with the count of the whole run", arguments: [1, 3])
    func joined(tasks: Int) throws {
        let bench = Bench()
        let folder = try Files.makeTemporaryDirectory(prefix: "run-count-")
        defer { try? Files.removeTree(folder) }
        let handlers = "\(folder)/h.json"
        try Files.writeAtomically(Array(#"{"handlers":{"*":{"simulate":{}}}}"#.utf8), to: handlers)
        #expect(bench("queue set q --start manual").exit == .done)
        for _ in 0...tasks { #expect(bench("enqueue q t").exit == .done) }
        let step = bench("step q --handlers \(handlers)")
        #expect(step.output.contains("the run is open after 1 attempt, \(tasks) left waiting"))
        let run = bench("run q --handlers \(handlers)")
        let words = "the run ended after \(tasks + 1) attempts"
        #expect(run.output.contains("\(words), 0 left waiting"), "\(run)")
        #expect(bench("log").output.contains(words))
        #expect(run.output.split(separator: "\n").count { $0.contains("succeeded") } == tasks)
    }

    @Test("D4 a run that was begun goes on here, and JSON has its whole count")
    func begun() throws {
        let bench = Bench()
        let folder = try Files.makeTemporaryDirectory(prefix: "run-count-")
        defer { try? Files.removeTree(folder) }
        let handlers = "\(folder)/h.json"
        try Files.writeAtomically(Array(#"{"handlers":{"*":{"simulate":{}}}}"#.utf8), to: handlers)
        #expect(bench("queue set q --start manual").exit == .done)
        for _ in 0..<3 { #expect(bench("enqueue q t").exit == .done) }
        let first = bench("run q --until breakpoint --handlers \(handlers) --json")
        #expect(first.json["run"]?["attempted"] == 3, "\(first)")
        for _ in 0..<3 { #expect(bench("enqueue q t").exit == .done) }
        #expect(bench("step q --handlers \(handlers)").exit == .done)
        let second = bench("run q --handlers \(handlers) --json")
        #expect(second.json["run"]?["attempted"] == 3 && second.json["run"]?["state"] == "ended")
        #expect(second.json["stepped"]?.array?.count == 2)
    }
}
