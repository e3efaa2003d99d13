import Testing

@testable import SluiceBenchmark

@Suite("The benchmark's options")
struct OptionTests {
    @Test("words become options, and what is not known is refused")
    func parsing() throws {
        let quick = try BenchOptions(["--quick", "--only", "W1,C2", "--json", "f"])
        #expect(quick.repetitions == 1 && quick.divisor > 1 && quick.jsonPath == "f")
        #expect(quick.wants("C2") && !quick.wants("W2"))
        let other = try BenchOptions(["--repetitions", "5", "--python", "p", "--peers", "d"])
        #expect(try !other.isSteady && BenchOptions(["--steadily"]).isSteady)
        #expect(other.repetitions == 5 && other.python == "p" && other.peers == "d")
        for words in [["--none"], ["--repetitions", "0"], ["--json"]] {
            #expect(throws: BenchOptions.Wrong.self) { try BenchOptions(words) }
        }
    }

    @Test("instructions are counted only where they are asked for, and then alone")
    func rows() throws {
        #expect(try !BenchOptions([]).wants("I") && BenchOptions([]).wants("W1"))
        let counted = try BenchOptions(["--instructions"])
        #expect(counted.wants("I") && !counted.wants("W1"))
    }

    @Test("every row that the help names is measured by a work")
    func works() {
        let named = [
            "W1", "W2", "W3", "W4", "W5", "W6", "W7", "W8", "W9", "W10", "F", "C1", "C2", "C3",
            "C4", "D", "X", "L", "P", "PG", "I",
        ]
        #expect(Set(Works.all.flatMap { $0.rows }) == Set(named))
        #expect(named.allSatisfy(BenchOptions.usage.contains))
    }
}
