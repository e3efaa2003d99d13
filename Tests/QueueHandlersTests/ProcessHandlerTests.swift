import SluiceModel
import SluiceRunner
import SluiceStore
import SluiceSystem
import Testing

@testable import SluiceHandlers

@Suite("A program that stays", .timeLimit(.minutes(10)))
struct ProcessHandlerTests {
    /// Reads a task, and leaves its id in `$id`.
    static let read = #"IFS= read -r t || exit 0; id=${t#*:}; id=${id%%,*}"#
    static let done = #"echo "{\"id\":$id,\"outcome\":\"success\",\"result\":\"$$\"}""#

    static func handler(_ script: String, copies: Int? = nil, silence: Int64? = nil)
        -> ProcessHandler
    {
        ProcessHandler(
            program: "/bin/sh", arguments: ["-c", script],
            environment: ProcessIdentity.environment(), copies: copies,
            silenceMilliseconds: silence)
    }

    static func begin(
        _ handler: ProcessHandler, _ id: TaskID = 1042, payload: String = "{}", lock: String? = nil
    ) -> (running: any RunningExecution, report: CollectingReport) {
        let report = CollectingReport()
        var execution = Execution.sample(payload: Array(payload.utf8), lock: lock)
        execution.task.id = id
        return (handler.start(execution, report: report), report)
    }

    static func result(_ outcome: HandlerOutcome) throws -> String {
        guard case .success(let bytes?) = outcome else {
            throw Failure(sentence: "no success with a result: \(outcome)")
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    struct Failure: Error { let sentence: String }

    @Test("A3 one process executes task after task, and is given each whole")
    func stays() async throws {
        let handler = Self.handler(
            #"""
            while \#(Self.read); do
              echo "{\"id\":$id,\"outcome\":\"success\",\"result\":{\"pid\":$$,\"told\":$t}}"
            done
            """#)
        let first = Self.begin(handler, 1, payload: "{\n  \"a\": 12345678901234567890 }")
        let one = try JSONValue.parse(Self.result(await first.report.outcome))
        let second = Self.begin(handler, 2, payload: "no JSON")
        let two = try JSONValue.parse(Self.result(await second.report.outcome))
        #expect(one["pid"]?.integer != nil && one["pid"] == two["pid"])
        #expect(
            one["told"]?.text
                == #"{"id":1,"queue":"mail","type":"send","attempt":1,"#
                + #""idempotencyKey":"key-1042","payload":{"a":12345678901234567890}}"#)
        #expect(two["told"]?["payloadBase64"]?.string == Base64.encode(Array("no JSON".utf8)))
        #expect(first.report.seen.childID == one["pid"]?.integer)
    }

    @Test(
        "A3 each outcome is the one that the line says",
        arguments: [
            (#""retry","after":"30s","error":"e""#, .retry(afterMilliseconds: 30000, error: "e")),
            (#""park""#, .park(error: nil)),
            (#""giveUp","error":"one\ntwo""#, .giveUp(error: "one\ntwo")),
            (#""offline""#, .offline(error: nil)),
            (
                #""pauseQueue","for":"1m","error":"401""#,
                .pauseQueue(milliseconds: 60000, isCounted: false, error: "401")
            ),
            (#""success","result":null"#, .success(result: nil)),
            (#""success","result":[1,2.50]"#, .success(result: Array("[1,2.50]".utf8))),
            (
                #""sucess""#,
                .failed(
                    #"its outcome cannot be read: outcome is "sucess"; it must be one of "#
                        + "success, retry, park, giveUp, pauseQueue, offline")
            ),
        ] as [(String, HandlerOutcome)])
    func outcomes(_ said: String, _ outcome: HandlerOutcome) async {
        let handler = Self.handler(
            "\(Self.read); printf '%s\\n' '{\"id\":1042,\"outcome\":\(said)}'; read -r t")
        #expect(await Self.begin(handler).report.outcome == outcome)
    }

    @Test("A7 progress, log, standard error and other lines are kept with the attempt")
    func reports() async {
        let handler = Self.handler(
            #"""
            while \#(Self.read); do
              echo '{"fraction":0.5,"text":"half"}'; echo '{"log":"one"}'; echo plain; echo
              echo '{"heartbeat":true}'; echo careful >&2; echo '{"retryAfter":"5s"}'
              echo "{\"id\":$id,\"outcome\":\"retry\",\"error\":\"no\"}"
            done
            """#)
        let (_, report) = Self.begin(handler)
        #expect(await report.outcome == .retry(afterMilliseconds: 5000, error: "no"))
        #expect(report.seen.progress == [.init(fraction: 0.5, text: "half")])
        #expect(Set(report.seen.log) == ["one", "plain", "careful"])
    }

    @Test("an answer counts only for the task that it names")
    func names() async throws {
        let handler = Self.handler(
            #"""
            while \#(Self.read); do
              echo '{"id":7,"outcome":"success"}'; \#(Self.done); \#(Self.done)
            done
            """#)
        for id in [8, 9] as [TaskID] {
            let (_, report) = Self.begin(handler, id)
            _ = try Self.result(await report.outcome)
            #expect(report.seen.log.contains("an answer for #7 is not about this task"))
            #expect(report.seen.outcomes.count == 1)
        }
        let nameless = Self.handler("\(Self.read); echo '{\"outcome\":\"success\"}'; read -r t")
        #expect(
            await Self.begin(nameless).report.outcome
                == .failed("its answer does not name its task by \"id\""))
    }

    @Test("A3 a copy that ends in a task fails it with its last words, and another one is started")
    func death() async throws {
        let handler = Self.handler(
            #"""
            while \#(Self.read); do
              case $t in *die*) echo first >&2; echo why >&2; exit 3;; *kill*) kill -9 $$;; esac
              \#(Self.done)
            done
            """#)
        let one = try Self.result(await Self.begin(handler, 1).report.outcome)
        let dying = Self.begin(handler, 2, payload: #""die""#).report
        #expect(
            await dying.outcome == .failed("its process ended with exit code 3\nfirst\nwhy"))
        #expect(dying.seen.log == ["first", "why"])
        let killed = Self.begin(handler, 3, payload: #""kill""#).report
        #expect(await killed.outcome == .failed("its process was killed by SIGKILL"))
        let two = try Self.result(await Self.begin(handler, 4).report.outcome)
        #expect(one != two)
    }

    @Test("A3 what a copy had answered before it died counts")
    func lastWords() async throws {
        let handler = Self.handler("\(Self.read); \(Self.done); kill -9 $$")
        _ = try Self.result(await Self.begin(handler).report.outcome)
    }

    @Test("a copy that ended without a task is told of in the log of the next one")
    func restingDeath() async throws {
        let handler = Self.handler(
            "while \(Self.read); do \(Self.done); done")
        let first = Self.begin(handler, 1)
        _ = try Self.result(await first.report.outcome)
        let pid = Int32(try Self.result(await first.report.outcome)) ?? 0
        let start = ProcessIdentity.startTime(of: pid) ?? 0
        try ChildProcess.signalGroup(processID: pid, startTime: start, signal: .kill)
        while ProcessIdentity.goesOn(pid, startTime: nil) { await Task.yield() }
        let second = Self.begin(handler, 2)
        _ = try Self.result(await second.report.outcome)
        #expect(
            second.report.seen.log == [
                "a copy of sh that had no task: its process was killed by SIGKILL"
            ])
    }

    @Test("there are never more copies than allowed, and who waits for one says so")
    func copies() async throws {
        let handler = Self.handler(
            "\(Self.read); echo '{\"log\":\"ready\"}'; exec sleep 1000", copies: 2)
        let begun = (1...3).map { Self.begin(handler, TaskID($0)) }
        await begun[0].report.logged("ready")
        await begun[1].report.logged("ready")
        let waiting = begun[2].report
        let told = await waiting.first { $0.progress.first }
        #expect(told.text == "waits for a copy of sh")
        #expect(waiting.seen.childID == nil)
        begun[2].running.stop()
        #expect(await waiting.outcome == .failed("told to stop before a copy was free"))
        begun[0].running.stop()
        #expect(await begun[0].report.outcome == .failed("its process was killed by SIGTERM"))
        begun[1].running.kill()
        #expect(await begun[1].report.outcome == .failed("its process was killed by SIGKILL"))
    }

    @Test("A6 a copy that was told to stop may answer, and takes no other task")
    func stop() async throws {
        let handler = Self.handler(
            #"""
            trap '\#(Self.done)' TERM
            while \#(Self.read); do
              case $t in *wait*) echo '{"log":"ready"}'; sleep 1000 & wait;; *) \#(Self.done);; esac
            done
            """#)
        let slow = Self.begin(handler, 1, payload: #""wait""#)
        await slow.report.logged("ready")
        slow.running.stop()
        let one = try Self.result(await slow.report.outcome)
        let two = try Self.result(await Self.begin(handler, 2).report.outcome)
        #expect(one != two)
    }

    @Test("A6 one that ignores TERM is killed, with what it started")
    func killGroup() async throws {
        let handler = Self.handler(
            "\(Self.read); trap '' TERM; (sleep 1000) & echo \"{\\\"log\\\":\\\"$!\\\"}\"; wait")
        let (running, report) = Self.begin(handler)
        let child = await report.first { $0.log.first.flatMap { Int32($0) } }
        running.stop()
        running.kill()
        #expect(await report.outcome == .failed("its process was killed by SIGKILL"))
        #expect(!ProcessIdentity.goesOn(child, startTime: nil))
    }

    @Test("a copy that says nothing for too long is told to end, and signs of life put that off")
    func silence() async {
        let silent = Self.handler("\(Self.read); exec sleep 1000", silence: 50)
        #expect(await Self.begin(silent).report.outcome == .failed("it said nothing for 50ms"))
        let lively = Self.handler(
            "\(Self.read); for i in 1 2 3 4 5 6 7 8; do sleep 0.1; echo; done; \(Self.done)",
            silence: 5000)
        let outcome = await Self.begin(lively).report.outcome
        #expect(outcome.error == nil)
    }

    @Test("a program that is not there, or ends at once, fails each task and says why")
    func absent() async {
        let absent = ProcessHandler(program: "/no/such/program", environment: [])
        for id in [1, 2] as [TaskID] {
            let error = await Self.begin(absent, id).report.outcome.error
            #expect(error?.contains("/no/such/program") == true)
        }
        let broken = Self.handler("echo 'syntax error' >&2; exit 2")
        for id in [1, 2] as [TaskID] {
            #expect(
                await Self.begin(broken, id).report.outcome
                    == .failed("its process ended with exit code 2\nsyntax error"))
        }
        let deaf = Self.handler("exec <&-; echo '{\"log\":\"deaf\"}'; exec sleep 1000")
        let big = String(repeating: " ", count: 1 << 20)
        #expect(
            await Self.begin(deaf, payload: "\"\(big)\"").report.outcome
                == .failed("it does not read its standard input"))
    }

    @Test("copies that end in vain are started again later each time, and at once after a task")
    func backoff() {
        var backoff = CopyBackoff()
        #expect(backoff.waits(at: 0) == nil)
        var waits: [UInt64] = []
        for _ in 0..<9 {
            backoff.ended(afterTask: false, at: 1000)
            waits.append(((backoff.waits(at: 1000) ?? 0) - 1000) / 1_000_000)
        }
        #expect(waits == [100, 200, 400, 800, 1600, 3200, 6400, 6400, 6400])
        backoff.ended(afterTask: true, at: 1000)
        #expect(backoff == CopyBackoff())
    }

    @Test("A2 a copy holds the lock of the attempt that it is in, and of no other")
    func lock() async throws {
        try await Shell.withLockPath { path in
            let handler = Self.handler(
                #"""
                while \#(Self.read); do
                  case $t in *wait*) echo '{"log":"ready"}'; exec sleep 1000;; esac; \#(Self.done)
                done
                """#)
            let one = Self.begin(handler, 1, lock: path)
            _ = try Self.result(await one.report.outcome)
            #expect(!Files.exists(path))
            let other = path + "-2"
            let two = Self.begin(handler, 2, payload: #""wait""#, lock: other)
            await two.report.logged("ready")
            try #expect(FileLock.isHeld(other))
            two.running.kill()
            _ = await two.report.outcome
            // The end of the copy removes its folder and its output, just after the outcome.
            let folder = Files.parent(of: path)
            while try Files.list(folder) != ["output"] { await Task.yield() }
            while try !Files.list(folder + "/output").isEmpty { await Task.yield() }
        }
    }

    @Test("A6 copies end with the last one who holds the handler")
    func end() async throws {
        let pid = try await {
            let handler = Self.handler("while \(Self.read); do \(Self.done); done")
            return Int32(try Self.result(await Self.begin(handler).report.outcome)) ?? 0
        }()
        while ProcessIdentity.goesOn(pid, startTime: nil) { await Task.yield() }
        #expect(pid > 0)
    }

    @Test("A3 a follow-up is read with all of its keys, and a wrong one gives the task up")
    func followUps() throws {
        let line = #"""
            {"queue":"q","type":"t","payload":{"a":1},"delay":"5m","priority":-3,"unique":"k",
             "groupStart":"g","groupMembers":["h","i"],"headers":{"traceparent":"00-1"}}
            """#
        var wanted = FollowUp(
            queue: "q", type: "t", payload: Array(#"{"a":1}"#.utf8),
            delayMilliseconds: 300_000, priority: -3, uniqueKey: "k", groupStart: "g",
            groupMembers: ["h", "i"])
        wanted.task.headers = ["traceparent": "00-1"]
        #expect(try FollowUpLine.read(JSONValue.parse(line)) == wanted)
        var lines = AnswerLines()
        let wrong = lines.take(Array("{\"id\":3,\"followUp\":{\"queu\":\"q\"}}\n".utf8))
        let error = #"its follow-up: there is no key "queu"; did you mean "queue"?"#
        #expect(wrong == [.outcome(of: 3, .giveUp(error: error))])
    }

    @Test("T7 the line of a task has its headers, if it has any")
    func headers() throws {
        var execution = Execution.sample()
        #expect(!String(decoding: TaskLine.bytes(of: execution), as: UTF8.self).contains("headers"))
        execution.task.headers = ["x": "ä", "traceparent": "00-1"]
        let line = try JSONValue.parse(TaskLine.bytes(of: execution))
        #expect(line["headers"]?.text == #"{"traceparent":"00-1","x":"ä"}"#)
    }

    @Test("a line longer than any may be ends its copy, and lines are cut where they end")
    func longLine() async {
        var splitter = LineSplitter(limitBytes: 3)
        let lines = splitter.take(Array("ab\ncdef\n\ng".utf8)) + splitter.take(Array("h\n".utf8))
        #expect(
            lines.map { String(decoding: $0.bytes, as: UTF8.self) } == ["ab", "cde", "", "gh"])
        #expect(lines.map(\.isCut) == [false, true, false, false])
        // The line may have been the answer, so an answer after it does not count.
        for answer in ["", "\(Self.done); "] {
            let handler = Self.handler(
                "\(Self.read); { head -c 2000000 /dev/zero; echo; \(answer)} ; sleep 1000")
            let error = await Self.begin(handler).report.outcome.error
            #expect(error == "it wrote a line of more than \(AnswerLines.lineLimitBytes) bytes")
        }
    }
}
