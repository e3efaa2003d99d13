import SluiceModel
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

    @Test("A7 DBX-35 a report names its stages, and a stage that is no text is a line of the log")
    func stages() async {
        let script = """
            echo '{"stage":"encrypting","fraction":0.5}' >&3; echo '{"stage":"sending"}' >&3
            echo '{"stage":7}' >&3
            """
        let seen = await Shell.run(script).report.seen
        #expect(seen.stages == ["encrypting", "sending"])
        #expect(seen.progress == [Progress(fraction: 0.5)])
        #expect(seen.log == [#"{"stage":7}"#])
    }

    @Test("A7 a report that says something twice is refused with its place")
    func repeatedKey() async {
        let script = """
            echo 'first' >&3; echo '{"fraction":0.1,"text":"a","fraction":0.9}' >&3
            """
        let seen = await Shell.run(script).report.seen
        #expect(seen.progress == [])
        #expect(
            seen.log == [
                "first",
                "report refused, line 2, column 28: the key \"fraction\" comes a second time",
            ])
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

    @Test("IDJ-28 a command says when it is tried again, after each failure as it wants")
    func retryAfter() async {
        let script = #"echo "{\"retryAfter\":\"$((SLUICE_ATTEMPT * 30))s\"}" >&3; exit "#
        for (number, wait) in [(1, 30_000), (2, 60_000)] as [(Int, Int64)] {
            let shell = Shell(script + "75", number: number)
            #expect(await shell.outcome == .retry(afterMilliseconds: wait, error: nil))
        }
        #expect(
            await Shell(script + "1").outcome
                == .retry(afterMilliseconds: 30_000, error: "exit code 1"))
        #expect(await Shell(script + "0").outcome == .success(result: nil))
        #expect(await Shell(script + "65").outcome == .giveUp(error: "exit code 65"))
        let unread = #"{"retryAfter":"soon"}"#
        let shell = await Shell.run("echo '\(unread)' >&3; exit 75")
        #expect(shell.report.seen.outcomes == [.failed(nil)])
        #expect(shell.report.seen.log == [unread])
    }

    @Test("IDJ-29 a command says that it is not to be started again, or is to begin again")
    func restart() async {
        let never = #"echo '{"restart":false}' >&3; exit "#
        #expect(await Shell(never + "75").outcome == .giveUp(error: nil))
        #expect(await Shell(never + "3").outcome == .giveUp(error: "exit code 3"))
        #expect(await Shell(never + "0").outcome == .success(result: nil))
        #expect(await Shell(never + "76").outcome == .park(error: nil))
        let again = await Shell.run(#"echo '{"restart":true}' >&3; exit 1"#)
        #expect(again.report.seen.outcomes == [.failed("exit code 1")])
        #expect(again.report.seen.restarts == [true])
    }
}
