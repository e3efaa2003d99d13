import SluiceControl
import SluiceModel
import SluiceStore
import SluiceSystem
import Testing

@testable import SluiceCommand

@Suite("What the verbs do and how they end")
struct VerbTests {
    static let codes: [(line: String, exit: ExitCode)] = [
        ("skip 1", .done), ("skip 99", .refused), ("skip 1 99", .partlyDone),
        ("skip 98 99", .refused), ("cancel 1", .refused), ("undelete 1", .refused),
        ("purge 1", .refused), ("list nowhere", .refused), ("queue delete q", .refused),
        ("queue delete q --yes", .done), ("pause nowhere", .refused),
        ("skip 1 --read-only", .refused), ("list --store /no/such/folder/x.db", .done),
        ("list --store postgres://host/db", .usage), ("list --store /tmp", .usage),
        ("show 0123abcd", .refused), ("retry 1 1", .done), ("step q", .refused),
        ("run q", .refused), ("work", .usage), ("enqueue q t --unique k:reject", .done),
        ("undo 12345", .usage), ("edit 1 --payload-file gone", .usage),
    ]

    @Test("exit codes tell done, refused, usage and partly done", arguments: codes)
    func exitCodes(_ line: String, _ exit: ExitCode) {
        let bench = Bench()
        for _ in 0..<3 { _ = bench("enqueue q t") }
        let outcome = bench(line)
        #expect(outcome.exit == exit, "\(outcome.output)\(outcome.errors)")
        #expect((exit == .refused || exit == .usage) == !outcome.errors.isEmpty || exit == .refused)
    }

    @Test("K12 without a terminal the console names the commands that do the same")
    func noTerminal() {
        let outcome = Bench()("--json")
        #expect(outcome.exit == .usage)
        #expect(Bench()("").errors.contains("sluice watch"))
    }

    @Test("K11 control characters of names, payloads and errors are never written")
    func escapes() {
        let bench = Bench()
        _ = bench.run(["enqueue", "q", "t", "\u{1b}[2Jx", "--label", "\u{1b}]0;x\u{7}"])
        let lines = ["list", "show 1", "why 1", "log", "list --filter type:\u{1b}", "show \u{1b}"]
        for line in lines {
            let outcome = bench(line)
            #expect(!(outcome.output + outcome.errors).contains("\u{1b}"))
        }
        #expect(bench("show 1").output.contains("␛[2Jx"))
    }

    @Test("a bad line is named by its number, and nothing of the file comes in")
    func badLine() throws {
        var bench = Bench()
        bench.input = "{\"type\":\"a\"}\n\n{\"type\":\"b\",\"priority\":[1]}\n"
        let outcome = bench("enqueue q --jsonl - --json")
        #expect(outcome.exit == .usage)
        #expect(outcome.errorCode == "badValue")
        #expect(outcome.errors.contains("line 3: priority"))
        #expect(try bench.store.readBlocking { try $0.queues() }.isEmpty)
    }

    @Test("T3 lines come in as one commit with all their fields")
    func lines() throws {
        var bench = Bench()
        bench.files["tasks"] = """
            {"type":"a","payload":{"n":9007199254740993},"priority":-2,"groupStart":"g"}
            {"type":"b","payloadBase64":"AAH/","groupMembers":["g"],"requires":["network"],"id":7}
            {"type":"c","payload":null,"unique":"k:reject","sortKey":"z","required":true}
            """
        #expect(
            bench("enqueue q --jsonl tasks --json").json == ["ids": [1, 2, 3], "created": "q"])
        let payloads = try bench.store.readBlocking { store in
            try [1, 2, 3].map { try store.payload(of: $0) }
        }
        #expect(
            payloads == [Array(#"{"n":9007199254740993}"#.utf8), [0, 1, 255], Array("null".utf8)])
        #expect(bench("log --json").json["events"]?.array?.count == 1)
        let shown = bench("show 3 --json").json
        #expect([shown["unique"], shown["sortKey"], shown["required"]] == ["k", "z", true])
    }

    @Test("the output of list comes in again as lines")
    func roundTrip() {
        var bench = Bench()
        for _ in 0..<3 { _ = bench("enqueue q t {} --group g --label l") }
        let tasks = bench("list q --json").json["tasks"]?.array ?? []
        bench.input = tasks.map(\.text).joined(separator: "\n")
        #expect(bench("enqueue other --jsonl - --any-queue --json").json["ids"]?.array?.count == 3)
        #expect(bench("show 4 --json").json["label"] == "l")
    }

    @Test("a follow-up of a command is the child of its task, one deeper")
    func parent() throws {
        var bench = Bench()
        _ = bench("enqueue q t")
        bench.environment["SLUICE_PARENT"] = "1"
        _ = bench("enqueue q t")
        _ = bench("enqueue q t --not-before +1m")
        let tasks = try bench.store.readBlocking { try $0.tasks([2, 3]) }
        #expect(tasks.map(\.parent) == [1, 1])
        #expect(tasks.map(\.depth) == [1, 0])
    }

    @Test("D10 a bulk asks in proportion, and without a terminal it needs --yes")
    func bulk() throws {
        var bench = Bench()
        for _ in 0..<11 { _ = bench("enqueue q t") }
        #expect(bench("skip --filter id:1..10 --yes").exit == .done)
        let alone = bench("skip --filter queue:q --json")
        #expect(alone.exit == .usage)
        #expect(alone.errorCode == "noTerminal")
        bench.answers = ["n", "y"]
        #expect(bench("delete --filter queue:q --quiet").output.isEmpty)
        bench.answers = ["y"]
        #expect(bench("delete --filter queue:q --json").json["changed"]?.array?.count == 11)
        #expect(bench("undelete --filter queue:q --yes --json").json["changed"]?.array?.count == 11)
        #expect(bench("skip --filter type:none --yes").exit == .done)
    }

    @Test("D10 edit --filter is one change, and one undo takes it back")
    func editFilter() {
        let bench = Bench()
        for _ in 0..<3 { _ = bench("enqueue q t") }
        let answer = bench("edit --filter queue:q --set label=x --yes --json").json
        #expect(answer["changed"] == [1, 2, 3])
        let line = bench("log --json").json["events"]?.array?.last
        #expect(line?["text"] == "3 tasks edited by dana")
        #expect(bench("undo --json").json["changed"] == [1, 2, 3])
        #expect(bench("show 2 --json").json["label"] == .null)
    }

    @Test("D10 --dry-run counts, names and changes nothing")
    func dryRun() throws {
        let bench = Bench()
        _ = bench("enqueue q t --group-start g")
        _ = bench("enqueue q t --group g")
        let before = try bench.contents()
        let outcome = bench("delete --filter queue:q --dry-run --json")
        #expect(outcome.json["changed"] == [1, 2])
        #expect(outcome.json["undo"] == .null)
        #expect(try bench.contents() == before)
    }

    @Test("D9 undo takes back the last verb, and names who did it")
    func undo() {
        let bench = Bench()
        _ = bench("enqueue q t --by ann")
        _ = bench("pause q")
        #expect(bench("undo").exit == .done)
        #expect(bench("queues --json").json["queues"]?[0]?["state"] == "running")
        #expect(bench("log --json").json["events"]?[0]?["by"] == "ann")
    }

    @Test("list pages behind a task, and says whether there is more")
    func pages() {
        let bench = Bench()
        for _ in 0..<5 { _ = bench("enqueue q t") }
        func ids(_ line: String) -> [Int64?] {
            bench(line + " --json").json["tasks"]?.array?.map { $0["id"]?.integer } ?? []
        }
        #expect(ids("list q --limit 2") == [1, 2])
        #expect(ids("list --limit 2 --after 2") == [3, 4])
        #expect(bench("list --after 3 --limit 2 --json").json["more"] == false)
        _ = bench("delete 2")
        #expect(ids("list --filter state:deleted") == [2])
        #expect(ids("list --state deleted") == [2])
        #expect(ids("list --filter -id:1..3") == [4, 5])
    }

    @Test("--quiet says nothing when all is well, and still says what is not")
    func quiet() {
        let bench = Bench()
        #expect(bench("enqueue q t --quiet").output.isEmpty)
        #expect(bench("skip 1 --quiet").output.isEmpty)
        #expect(!bench("skip 1 99 --quiet").output.isEmpty)
        #expect(!bench("list --quiet").output.isEmpty)
    }

    @Test("D1 how long a pause is to last does not read as how long it has lasted")
    func pausedFor() {
        let bench = Bench()
        _ = bench("enqueue q t")
        let answer = bench("pause q --for 10m").output
        #expect(answer.hasPrefix("q paused by dana for the next 10m\n"), "\(answer)")
        _ = bench("pause --all --for 1h")
        #expect(bench("log -n 1").output.hasSuffix("all queues paused by dana for the next 1h\n"))
        bench.clock.withLock { $0 = $0 + 120_000 }
        #expect(bench("queues").output.contains("paused by dana for 2m, ends in 8m"))
    }

    @Test("D1 resume --all names the queues that are paused by themselves")
    func resumeAll() {
        let bench = Bench()
        _ = bench("enqueue mail send --quiet")
        _ = bench("enqueue push send --quiet")
        _ = bench("pause mail --reason slow")
        _ = bench("pause --all")
        let outcome = bench("resume --all")
        #expect(
            outcome.exit == .done && outcome.output.contains("paused by themselves still: mail"))
        #expect(!outcome.output.contains("all queues resumed"), "\(outcome.output)")
        _ = bench("resume mail")
        _ = bench("pause --all")
        #expect(bench("resume --all").output.contains("all queues resumed"))
    }

    @Test("D6 a move into a queue that is not there is refused once, before any task")
    func moveNowhere() {
        let bench = Bench()
        for _ in 0..<3 { _ = bench("enqueue mail send --quiet") }
        let outcome = bench("move --filter state:due --queue mial --yes")
        #expect(outcome.exit == .refused)
        #expect(outcome.errors.components("there is no queue") == 1, "\(outcome.errors)")
        #expect(!outcome.output.contains("#1"))
    }

    @Test("D4 a run that no worker can begin says so")
    func runWithoutRunner() throws {
        let bench = Bench()
        _ = bench("enqueue mail send --quiet")
        let control = Control(
            store: bench.store, person: "dana", now: { Timestamp(milliseconds: 9) },
            chance: { 0.5 })
        let answer = try control.performBlocking(.run(queue: "mail", limit: nil))
        #expect(answer.consequences.contains { $0.contains("no worker is attached") })
    }
}

extension String {
    fileprivate func components(_ part: String) -> Int {
        var (count, rest) = (0, self[...])
        while let found = rest.firstRange(of: part) {
            count += 1
            rest = rest[found.upperBound...]
        }
        return count
    }
}
