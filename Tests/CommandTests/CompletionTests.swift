import Testing

@testable import SluiceCommand

@Suite("Completion in shells")
struct CompletionTests {
    static let lines: [(words: [String], found: [String])] = [
        (["que"], ["queue", "queues"]),
        (["queue", ""], ["delete", "set"]),
        (["pause", ""], ["mail", "main", "q"]),
        (["pause", "ma"], ["mail", "main"]),
        (["pause", "--dir"], ["--direction"]),
        (["pause", "q", "--direction", ""], ["work", "enqueues", "both"]),
        (["pause", "q", "--direction=en"], ["--direction=enqueues"]),
        (["pause", "--for", "1m", "q"], ["q"]),
        (["network", "o"], ["on", "off"]),
        (["init", ""], ["\tfiles"]),
        (["step", "--handlers", "h"], ["\tfiles"]),
        (["./app"], ["\tfiles"]),
        (["queues", ""], []),
    ]

    @Test("the words that fit at the cursor come from the table and the store", arguments: lines)
    func words(_ words: [String], _ found: [String]) {
        let bench = Bench()
        for queue in ["main", "mail", "q"] { _ = bench("enqueue \(queue) t") }
        let output = bench.run(["__complete", "--"] + words).output
        #expect(output.split(separator: "\n").map(String.init).sorted() == found.sorted())
    }

    @Test("P5 a name that begins as an option does is offered where it is taken for a name")
    func dash() {
        let bench = Bench()
        for queue in ["-x", "q"] { _ = bench("enqueue -- \(queue) t") }
        let found = { (words: [String]) in
            bench.run(["__complete", "--"] + words).output.split(separator: "\n").sorted()
        }
        #expect(found(["pause", ""]) == ["q"])
        #expect(found(["pause", "--", ""]) == ["-x", "q"])
        #expect(found(["pause", "--", "-"]) == ["-x"])
        #expect(found(["log", "--queue=-"]) == ["--queue=-x"])
    }

    @Test("each shell has a script that asks for the words", arguments: Shell.allCases)
    func scripts(_ shell: Shell) {
        #expect(Bench()("completion \(shell.rawValue)").output.contains("__complete"))
    }
}
