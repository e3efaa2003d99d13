import SluiceControl
import SluiceModel
import SluiceStore
import SluiceSystem
import Testing

@testable import SluiceCommand

/// Reports: one text for a bug report.
@Suite("Reports")
struct ReportTests {
    private let bench = Bench()

    /// Creates task 1 with two failed attempts, logs, and a payload edit in between.
    private func fail(payload: String = #"{"user":{"email":"kim@x.org","id":7}}"#) throws {
        #expect(bench.run(["enqueue", "mail", "send", "--", payload]).exit == .done)
        #expect(bench("queue set mail --retry fixed(0s)").exit == .done)
        try attempt("no account for kim@x.org (7 of 17)", ["asks for kim@x.org"])
        let edit = ["edit", "1", "--payload", #"{"user":{"email":"lee@x.org","id":7}}"#]
        #expect(bench.run(edit).exit == .done)
        bench.clock.withLock { $0 = $0 + 1000 }
        try attempt("HTTP 500", ["asks for lee@x.org", "waits"])
    }

    private func attempt(_ error: String, _ log: [String]) throws {
        let now = bench.clock.withLock { $0 }
        try bench.store.writeBlocking { store in
            try store.transact(at: now) { mutation in
                var process = ProcessRecord(
                    id: 0, role: .runner, host: "worker-1", bootID: "b", pid: 7, lockName: "l",
                    attachedAt: now)
                process.slots = 1
                let runner = try mutation.attach(process).id
                let claimed = try mutation.claim(
                    ClaimRequest(runner: runner, freeSlots: 1, inFlight: 0))
                for one in claimed {
                    var done = Completion(
                        task: one.task.id, token: one.task.running?.token ?? 0,
                        ending: .handler(.retry(afterMilliseconds: nil, error: error)))
                    var progress = AttemptProgress()
                    progress.log = log
                    done.progress = progress
                    _ = try mutation.settle([done])
                }
            }
        }
    }

    @Test("G7 of several tasks those that are there are told, the others named, exit 3")
    func partly() throws {
        try fail()
        let both = bench("report 1 7")
        #expect(both.exit == .partlyDone && both.output.hasPrefix("# Task #1 `send`"))
        #expect(both.errors.contains("sluice: there is no task #7") && !both.errors.contains("#1"))
        let json = bench("report 7 1 --json")
        #expect(json.exit == .partlyDone && json.json["tasks"]?.array == [1])
        #expect(json.json["failed"]?.array?.first?["id"] == 7)
        #expect(json.json["failed"]?.array?.first?["code"] == "unknownTask")
        let none = bench("report 7 8")
        #expect(none.exit == .refused && none.output.isEmpty)
        #expect(none.errors.contains("there is no task #7"))
    }

    @Test("G7 a report tells the task, its attempts, their difference, why, journal and queue")
    func whole() throws {
        try fail()
        let report = bench("report 1")
        #expect(report.exit == .done)
        let text = report.output
        #expect(text.hasPrefix("# Task #1 `send`\n\n- program: `sluice \(Program.versionText)`\n"))
        let headings = text.split(separator: "\n").filter {
            $0.drop { $0 == "#" }.hasPrefix(" ") && $0.hasPrefix("#")
        }
        #expect(
            headings == [
                "# Task #1 `send`", "## Fields", "## Payload", "## Former payloads", "## Attempts",
                "### Attempt 1", "### Attempt 2", "### Worker 1", "### Worker 3",
                "## Attempt 2 against attempt 1", "## Why it is not running", "## Journal",
                "## Queue `mail`",
            ])
        #expect(text.contains("- store: `memory, memory`"))
        #expect(text.contains("\"email\": \"lee@x.org\""))
        #expect(text.contains("\"email\": \"kim@x.org\""))
        #expect(text.contains("- who: `dana`"))
        #expect(text.contains("- error: `no account for kim@x.org (7 of 17)`"))
        #expect(text.contains("```\nasks for lee@x.org\nwaits\n```"))
        #expect(
            text.contains(
                "- error: no account for kim@x.org (7 of 17)\n- worker: 1\n+ error: HTTP 500\n"))
        #expect(text.contains("-     \"email\": \"kim@x.org\",\n+     \"email\": \"lee@x.org\","))
        #expect(text.contains("- machine: `worker-1`"))
        #expect(text.contains("#1 send enqueued by dana") && text.contains("#1 edited by dana"))
        #expect(text.contains("retry: fixed(0s)"))
        #expect(!text.contains("Redacted"))
    }

    @Test("G7 what is redacted stands nowhere, and the report says how often it was")
    func redacted() throws {
        try fail()
        let report = bench("report 1 --redact payload.user.email --redact user.id --json")
        #expect(report.exit == .done)
        let text = try #require(report.json["report"]?.string)
        #expect(!text.contains("kim@x.org") && !text.contains("lee@x.org"))
        // A 7 that is a value goes, a part of another number stays.
        #expect(text.contains("no account for [redacted] ([redacted] of 17)"))
        #expect(!text.contains("\"id\": 7"))
        let counts = report.json["redactions"]?.array ?? []
        #expect(counts.map { $0["path"] } == ["payload.user.email", "payload.user.id"])
        let marks = text.components("[redacted]").count - 1
        let told = counts.compactMap { $0["applied"]?.integer }.reduce(0, +)
        // The payload's lines that differ by the address alone are the same without it.
        #expect(Int(told) == marks && marks > 6)
        #expect(text.contains("## Redacted\n"))
    }

    @Test("T7 G7 the value of a header is redacted where a handler printed it, never counted")
    func headers() throws {
        let words = ["enqueue", "mail", "send", "{}", "--header", "token=abc \"123\"", "--header"]
        #expect(bench.run(words + ["shop=7"]).exit == .done)
        let log = [#"sends abc "123""#, #"{"token":"abc \"123\""}"#, "shop 7 of 17"]
        try attempt(#"refused: abc "123""#, log)
        let text = bench("report 1 --redact payload.user").output
        #expect(text.contains("sends [redacted]\n{\"token\":\"[redacted]\"}\n"), "\(text)")
        #expect(text.contains("shop [redacted] of 17") && text.contains("refused: [redacted]"))
        #expect(text.contains("0 times: `payload.user`") && !text.contains("123"), "\(text)")
        #expect(bench("report 1").output.contains(#"sends abc "123""#))
    }

    @Test("G7 a report says its own numbers, also where a short value that is redacted is one")
    func ownNumbers() throws {
        try fail(payload: #"{"user":{"email":"kim@x.org","id":1}}"#)
        let edit = ["edit", "1", "--payload", #"{"user":{"email":"kim@x.org","id":2}}"#]
        #expect(bench.run(edit).exit == .done)
        try attempt("2 of 17 are gone", ["1 left"])
        let text = bench("report 1 --redact payload.user.id").output
        #expect(text.contains("- id: `#1`") && text.contains("- tries: `3/10`"), "\(text)")
        #expect(text.contains("\n1  2027-01-15T08:00:00.000Z  dana  #1 send enqueued by dana\n"))
        #expect(text.contains("- error: `[redacted] of 17 are gone`"))
        #expect(text.contains("```\n[redacted] left\n```"))
        #expect(text.contains("concurrency: 1\n"))
        #expect(text.contains("- worker: `1`"))
        let limited = bench("enqueue mail send --attempts 9")
        #expect(limited.exit == .done && bench("report 2").output.contains("- tries: `0/9`"))
    }

    @Test("G7 a path that is nowhere is named, and the exit is 3")
    func nowhere() throws {
        try fail()
        let report = bench("report 1 --redact payload.user.phone")
        #expect(report.exit == .partlyDone)
        #expect(report.errors == "sluice: there is nothing at payload.user.phone\n")
        #expect(report.output.contains("- 0 times: `payload.user.phone`"))
        #expect(bench("report 1 --redact payload.[").exit == .usage)
        #expect(bench("report 9").exit == .refused)
        #expect(bench("report").exit == .usage)
    }

    @Test("G7 true and null are left out where they stand, and objects with all that is in them")
    func kinds() throws {
        let payload = #"{"a":true,"b":{"c":"secret","d":[12345]},"e":null,"f":[{"g":"x1y2"}]}"#
        try fail(payload: payload)
        _ = bench.run(["enqueue", "mail", "send", "--label", "about secret 12345", "--", payload])
        let text = bench("report 2 --redact a --redact b --redact e --redact f[0].g").output
        for word in ["true", "secret", "12345", "null", "x1y2"] {
            #expect(!text.contains(word), "\(word)")
        }
        #expect(text.contains("- label: `about [redacted] [redacted]`"))
    }

    @Test("G7 tasks of a filter are in one report, up to 100")
    func filter() throws {
        for _ in 0..<101 { _ = bench("enqueue q t") }
        let few = bench.run(["report", "--filter", "id:1..3"]).output
        #expect(few.hasPrefix("# 3 tasks\n") && few.contains("## Task #3 `t`"))
        let many = bench.run(["report", "--filter", "queue:q", "--json"])
        #expect(many.exit == .usage && many.errorCode == "badFilter")
        #expect(
            bench.run(["report", "--filter", "type:none", "--json"]).errorCode == "unknownTask")
    }
}

extension String {
    /// The pieces between occurrences of a mark.
    fileprivate func components(_ mark: String) -> [Substring] {
        split(separator: mark, omittingEmptySubsequences: false)
    }
}
