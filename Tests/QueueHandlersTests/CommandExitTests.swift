import SluiceHandlers
import SluiceModel
import SluiceRunner
import SluiceSystem
import Testing

@Suite("The end of a command", .timeLimit(.minutes(10)))
struct CommandExitTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let script: String
        let outcome: HandlerOutcome

        init(_ script: String, _ outcome: HandlerOutcome) {
            self.script = script
            self.outcome = outcome
        }

        var testDescription: String { script }
    }

    static let cases = [
        Case("exit 0", .success(result: nil)),
        Case("printf done", .success(result: Array("done".utf8))),
        Case("echo unimportant >&2", .success(result: nil)),
        Case("echo 'bad address' >&2; exit 65", .giveUp(error: "bad address")),
        Case("exit 65", .giveUp(error: "exit code 65")),
        Case("echo 'no route' >&2; exit 69", .offline(error: "no route")),
        Case("exit 69", .offline(error: nil)),
        Case("echo later >&2; exit 75", .failed(nil)),
        Case("echo 'ask Ann' >&2; exit 76", .park(error: "ask Ann")),
        Case("exit 76", .park(error: nil)),
        Case(
            "echo 'no key' >&2; exit 77",
            .pauseQueue(milliseconds: 300_000, isCounted: false, error: "no key")),
        Case("exit 1", .failed("exit code 1")),
        Case("echo one >&2; echo two >&2; echo >&2; exit 64", .failed("one\ntwo")),
        Case("exit 255", .failed("exit code 255")),
        Case("kill -KILL $$", .failed("killed by SIGKILL")),
        Case("echo why >&2; kill -SEGV $$", .failed("killed by SIGSEGV\nwhy")),
        Case("kill -40 $$", .failed("killed by signal 40")),
    ]

    @Test("A3 every exit code has its outcome", arguments: cases)
    func exitCode(_ one: Case) async {
        let shell = await Shell.run(one.script)
        #expect(shell.report.seen.outcomes == [one.outcome])
    }

    @Test(
        "A3 a program that cannot be started is a counted failure that says why",
        arguments: [
            ("sluice-no-such-program", nil, "no such program in the folders of PATH"),
            ("/no/such/program", nil, "no such file"),
            ("/etc/passwd", nil, "permission denied"),
            ("/bin/sh", "/no/such/folder", "cannot enter the folder /no/such/folder"),
        ] as [(String, String?, String)])
    func notStarted(_ program: String, _ folder: String?, _ reason: String) async {
        let handler = CommandHandler(
            program: program, directory: folder, environment: ProcessIdentity.environment())
        let report = CollectingReport()
        let running = handler.start(.sample(), report: report)
        guard case .retry(nil, let error?) = await report.outcome else {
            Issue.record("\(report.seen.outcomes)")
            return
        }
        running.stop()
        #expect(error.contains(reason), "\(error)")
        #expect(report.seen.childID == nil)
    }

    @Test("A2 the child is named by its number and start time")
    func childIdentity() async {
        let shell = Shell("cat; sleep 1000")
        let pid = await shell.report.first { $0.childID }
        #expect(ProcessIdentity.startTime(of: Int32(pid)) == shell.report.seen.childStart)
        shell.running.kill()
        #expect(await shell.outcome == .failed("killed by SIGKILL"))
    }
}
