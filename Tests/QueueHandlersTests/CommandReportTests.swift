import QueueModel
import Testing

@Suite("The report descriptor of a command", .timeLimit(.minutes(10)))
struct CommandReportTests {
    typealias Progress = CollectingReport.Progress

    struct Case: Sendable, CustomTestStringConvertible {
        let line: String
        var progress: [Progress] = []
        var log: [String] = []
        var testDescription: String { String(line.prefix(60)) }
    }

    static let deep = String(repeating: "[", count: 600)
    static let wide = String(repeating: "é", count: 20_000)

    static let cases = [
        Case(
            line: #"{"fraction":0.4,"text":"four"}"#,
            progress: [.init(fraction: 0.4, text: "four")]),
        Case(line: #"{"fraction":1}"#, progress: [.init(fraction: 1)]),
        Case(line: #"{"fraction":7.5}"#, progress: [.init(fraction: 1)]),
        Case(line: #"{"fraction":null,"text":"so far"}"#, progress: [.init(text: "so far")]),
        Case(line: #"{"log":"hello"}"#, log: ["hello"]),
        Case(
            line: #"{"log":"l","fraction":0.5,"more":[1]}"#, progress: [.init(fraction: 0.5)],
            log: ["l"]),
        Case(line: "plain words", log: ["plain words"]),
        Case(line: #"{"fraction":"half"}"#, log: [#"{"fraction":"half"}"#]),
        Case(line: #"{"other":1}"#, log: [#"{"other":1}"#]),
        Case(line: #"{"log":"cut"#, log: [#"{"log":"cut"#]),
        Case(line: deep, log: [deep]),
        Case(line: wide, log: [String(repeating: "é", count: 512) + "…"]),
        Case(line: ""),
    ]

    @Test("A7 a line of the report is progress, a log line, or kept as it stands", arguments: cases)
    func line(_ one: Case) async {
        let script = "cat >&$SLUICE_REPORT_FD"
        for payload in [one.line, one.line + "\n"] {
            let shell = await Shell.run(script, payload: Array(payload.utf8))
            #expect(shell.report.seen.progress == one.progress)
            #expect(shell.report.seen.log == one.log)
        }
    }

    @Test("A7 the number of log lines is bounded, and the log says so")
    func manyLines() async {
        let shell = await Shell.run("yes | head -n 500000 >&3")
        let log = shell.report.seen.log
        #expect(log.count == 1001 && log.dropLast().allSatisfy { $0 == "y" })
        #expect(log.last == "further log lines were dropped")
    }

    @Test("A7 of much progress at once the last is told")
    func manySteps() async {
        let script = "seq 0 100000 | sed 's/.*/{\"text\":\"&\"}/' >&3"
        let seen = await Shell.run(script).report.seen
        #expect(seen.progress.last == .init(text: "100000"))
        #expect(seen.progress.count < 10_000 && seen.log.isEmpty)
    }
}
