import SluiceHandlers
import SluiceModel
import SluiceRunner
import SluiceSystem
import Testing

@Suite("The streams of a command", .timeLimit(.minutes(10)))
struct CommandStreamTests {
    @Test("A3 the payload is standard input, standard output the result, both up to 1 MiB")
    func payload() async {
        let payload = (0..<(1 << 20)).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 8) }
        let shell = await Shell.run("exec cat", payload: payload)
        #expect(shell.report.seen.outcomes == [.success(result: payload)])
        #expect(shell.report.seen.log.isEmpty)
    }

    @Test("A3 A7 standard output of a command that fails stands in the log, its last lines")
    func outputOfFailure() async {
        let failed = await Shell.run("echo one; echo two; echo why >&2; exit 1")
        #expect(failed.report.seen.log == ["output: one", "output: two"])
        #expect(failed.report.seen.outcomes.first?.error == "why")
        let long = await Shell.run("seq 1 100; exit 65")
        #expect(long.report.seen.log.count == 20 && long.report.seen.log.last == "output: 100")
        let done = await Shell.run("echo one")
        #expect(done.report.seen.log.isEmpty)
    }

    @Test(
        "A3 a command need not read its payload",
        arguments: ["exit 0", "exec <&-; exit 0", "head -c 3 >&2", "exec sleep 0.05"])
    func unreadPayload(_ script: String) async {
        let payload = [UInt8](repeating: 120, count: 1 << 20)
        let shell = await Shell.run(script, payload: payload)
        #expect(shell.report.seen.outcomes == [.success(result: nil)])
        #expect(shell.report.seen.log.isEmpty)
    }

    @Test("A3 A7 where standard error is not the error its last lines stand in the log")
    func errorsOfRetry() async {
        let again = await Shell.run("echo one; echo why >&2; echo two >&2; exit 75")
        #expect(again.report.seen.outcomes == [.failed(nil)])
        let lines = ["output: one", "standard error: why", "standard error: two"]
        #expect(again.report.seen.log == lines)
        let failed = await Shell.run("echo why >&2; exit 1")
        #expect(failed.report.seen.log == [])
        let done = await Shell.run("echo why >&2")
        #expect(done.report.seen.log == [])
    }

    @Test("A7 of 10 MiB on standard output 1 MiB is kept, and the log says so")
    func longOutput() async {
        let shell = await Shell.run("head -c 10485760 /dev/zero")
        let kept = [UInt8](repeating: 0, count: 1 << 20)
        #expect(shell.report.seen.outcomes == [.success(result: kept)])
        #expect(
            shell.report.seen.log == [
                "the result is cut at 1MiB: 9437184 more bytes of standard output were dropped"
            ])
    }

    @Test(
        "A7 of 10 MiB on standard error the last 20 lines and 4 KiB are kept",
        arguments: [
            ("yes line | head -c 10485760", "line"),
            ("head -c 10485760 /dev/zero | tr '\\0' x; echo", "xxxx"),
            ("yes '€uro and more of it' | tr -d '\\n' | head -c 10485760; echo", "of it"),
            ("yes \(String(repeating: "w", count: 300)) | head -c 10485760; echo", "www"),
        ])
    func longErrors(_ script: String, _ part: String) async throws {
        let shell = await Shell.run("{ \(script); printf 'the end \\r\\n\\n'; } >&2; exit 1")
        let error = try #require(shell.report.seen.outcomes.first?.error)
        let lines = error.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.last == "the end " && lines.first?.contains(part) == true, "\(error)")
        #expect(lines.count <= 20 && error.utf8.count <= 4096 && !error.contains("\u{FFFD}"))
        #expect(lines.count == 20 || error.utf8.count > 3000)
    }

    @Test("A1 what a command reads has the length and the digest that its environment names")
    func payloadDigest() async {
        for count in [0, 1, 55, 56, 63, 64, 65, 119, 120, 300_003] {
            let payload = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 8) }
            let shell = await Shell.run(
                """
                test "$(stat -Lc %s /dev/stdin)" = $SLUICE_PAYLOAD_BYTES || exit 65
                test "$(sha256sum)" = "$SLUICE_PAYLOAD_SHA256  -" || exit 65
                echo same
                """, payload: payload)
            #expect(await shell.result == "same\n", "\(count) bytes")
        }
    }

    @Test("A2 heirs that hold the pipes delay the end by a moment only")
    func heirs() async {
        let shell = Shell(
            """
            exec 4>&1; p=$(setsid sh -c 'echo $$; exec sleep 1000 >&4' &); echo $p
            echo seen >&2; echo '{"log":"l"}' >&3
            """)
        let before = SystemClock.monotonicNanoseconds()
        let heir = await shell.result ?? ""
        let milliseconds = (SystemClock.monotonicNanoseconds() - before) / 1_000_000
        #expect(milliseconds < 10_000 && shell.report.seen.log == ["l"])
        // It is in no group of the command's, so it lives on.
        let number = Int32(heir.dropLast()) ?? 0
        #expect(ProcessIdentity.startTime(of: number) != nil)
        _ = await Shell.run("kill -KILL \(number)")
    }

    static let digestOfNothing = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

    @Test("A8 the environment tells a command about its task and its store")
    func environment() async {
        let shell = Shell("env | grep ^SLUICE_ | sort", number: 3)
        let expected = """
            SLUICE_ATTEMPT=3
            SLUICE_IDEMPOTENCY_KEY=key-1042
            SLUICE_PARENT=1042
            SLUICE_PAYLOAD_BYTES=0
            SLUICE_PAYLOAD_SHA256=\(Self.digestOfNothing)
            SLUICE_QUEUE=mail
            SLUICE_REPORT_FD=3
            SLUICE_STORE=/data/sluice.db
            SLUICE_TASK_ID=1042
            SLUICE_TYPE=send

            """
        #expect(await shell.result == expected)
    }

    /// The variables that a shell script gets from a runner with these variables.
    private func variables(
        _ headers: [String: String], runner: [String] = []
    ) async -> [String] {
        var execution = Execution.sample()
        execution.task.headers = headers
        let handler = CommandHandler(
            program: "/bin/sh",
            arguments: ["-c", "env | grep -E '^(SLUICE_HEADER|TRACE|BAGGAGE)' | sort"],
            environment: ProcessIdentity.environment() + runner)
        let report = CollectingReport()
        let running = handler.start(execution, report: report)
        defer { withExtendedLifetime(running) {} }
        guard case .success(let bytes?) = await report.outcome else { return [] }
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    @Test("T7 a command gets each header as a variable, and a trace by its usual names")
    func headers() async {
        let headers = [
            "traceparent": "00-1", "tracestate": "a=1", "baggage": "ä b", "x.own-1": "$(echo no)",
            "x_own_1": "second",
        ]
        #expect(
            await variables(headers) == [
                "BAGGAGE=ä b", "SLUICE_HEADER_BAGGAGE=ä b", "SLUICE_HEADER_TRACEPARENT=00-1",
                "SLUICE_HEADER_TRACESTATE=a=1", "SLUICE_HEADER_X_OWN_1=$(echo no)",
                "TRACEPARENT=00-1", "TRACESTATE=a=1",
            ])
        #expect(await variables([:]) == [])
    }

    @Test("T7 the headers of a runner's own task are not those of its tasks")
    func outerHeaders() async {
        let plain = ["TRACEPARENT=mine", "TRACESTATE=m"]
        let outer = plain + ["SLUICE_HEADER_TRACEPARENT=mine", "SLUICE_HEADER_X=1"]
        #expect(await variables([:], runner: plain) == plain)
        #expect(await variables([:], runner: outer) == ["TRACESTATE=m"])
        let own = ["SLUICE_HEADER_TRACEPARENT=00-1", "TRACEPARENT=00-1"]
        #expect(await variables(["traceparent": "00-1"], runner: outer) == own)
        #expect(await variables(["traceparent": "00-1"], runner: plain) == own)
    }

    @Test("A8 IDJ-40 a command gets since when its task was due and the last error, if any")
    func dueAndError() async {
        var execution = Execution.sample()
        execution.task.freshAt = Timestamp(milliseconds: 1_800_000_000_000)
        execution.task.lastError = "HTTP\0 503\n" + String(repeating: "é", count: 5_000)
        for (execution, expected) in [
            (execution, "2027-01-15T08:00:00.000Z HTTP 503"), (Execution.sample(), "none none"),
        ] {
            let handler = CommandHandler(
                program: "sh",
                arguments: [
                    "-c",
                    "printf '%s ' ${SLUICE_DUE_AT-none}; printf %s \"${SLUICE_LAST_ERROR-none}\"",
                ],
                environment: ["PATH=/bin", "SLUICE_LAST_ERROR=outer", "SLUICE_DUE_AT=outer"])
            let report = CollectingReport()
            _ = handler.start(execution, report: report)
            guard case .success(let bytes?) = await report.outcome else {
                Issue.record("no result")
                return
            }
            let text = String(decoding: bytes, as: UTF8.self)
            #expect(text.split(separator: "\n").first.map(String.init) == expected)
            #expect(bytes.count < 4_200)
        }
    }

    @Test("A8 what the worker was told itself is replaced, the rest is passed on")
    func inheritedEnvironment() async {
        let handler = CommandHandler(
            program: "sh", arguments: ["-c", "echo $SLUICE_TASK_ID $OTHER $SLUICE_USER; pwd"],
            directory: "/usr",
            environment: ["PATH=/bin", "SLUICE_TASK_ID=7", "OTHER=o", "SLUICE_USER=ann"])
        let report = CollectingReport()
        _ = handler.start(.sample(), report: report)
        #expect(await report.outcome == .success(result: Array("1042 o ann\n/usr\n".utf8)))
    }
}
